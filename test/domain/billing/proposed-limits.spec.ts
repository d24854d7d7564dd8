import { expect } from 'chai';
import {
  COMPARED_DAYS,
  readProposedLimit,
  withMoreKeysInUse,
} from '../../../src/domain/billing/proposed-limits.js';
import { DAY } from '../../../src/domain/moment.js';
import { account, issued, NOON, rotated } from '../../support/objects/builders.js';

describe('A limit that an operator considers', () => {
  it('is a whole number from 0 to 1,000,000,000, or empty', () => {
    expect(['', ' ', '0', ' 12 ', '1000000000'].map(readProposedLimit)).to.deep.equal([
      null,
      null,
      0,
      12,
      1e9,
    ]);
    for (const text of ['-1', '1.5', '1e3', 'x', '1000000001', '1,000']) {
      expect(readProposedLimit(text), text).to.equal(undefined);
    }
  });

  it('concerns accounts that use more keys, where a key and its successor count as one (D23)', () => {
    const two = issued(account({ plan: 'pro' }), NOON, 'a', 'b');
    const one = rotated(issued(account(), NOON, 'c'), NOON, 'c', 'd');
    expect(withMoreKeysInUse([one, two], 1)).to.deep.equal([two]);
    expect(withMoreKeysInUse([one, two], 2)).to.deep.equal([]);
  });

  it('is compared with the requests of yesterday and today', () => {
    expect(COMPARED_DAYS).to.equal(DAY);
  });
});
