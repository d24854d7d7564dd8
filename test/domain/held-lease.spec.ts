import { expect } from 'chai';
import { LEASE_SECONDS, mayStillWork } from '../../src/domain/held-lease.js';

describe('mayStillWork', () => {
  it('is false before the first renewal', () => {
    expect(mayStillWork(null, 0)).to.equal(false);
  });

  it('is true for 4 s after a renewal, which is less than the lease lasts', () => {
    expect([0, 3_999, 4_000].map((ms) => mayStillWork(100, 100 + ms))).to.deep.equal([true, true, false]);
    expect(LEASE_SECONDS).to.be.greaterThan(4);
  });
});
