import { expect } from 'chai';
import { CONTINUE_AFTER, isTooSlow } from '../../../../src/domain/feed/history/export-end.js';

describe('The end of an export', () => {
  it('comes for a client that accepts less than 256 KB while the export waits for it', () => {
    expect([0, 1, 262_143, 262_144].map(isTooSlow)).to.deep.equal([true, true, true, false]);
  });

  it('always says after how many seconds the client may continue', () => {
    for (const seconds of Object.values(CONTINUE_AFTER)) expect(seconds).to.be.within(1, 60);
  });
});
