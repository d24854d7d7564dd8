import { expect } from 'chai';
import { needsPermit, paidChanges } from '../../../../src/domain/feed/history/history-limits.js';

describe('The permits of the history', () => {
  const cases = [
    [0, 500, false],
    [1, 499, false],
    [499, 1, false],
    [500, 500, true],
    [501, 499, false],
    [1_000, 500, true],
  ] as const;
  for (const [read, paid, isNeeded] of cases)
    it(`pay for ${paid} more changes after ${read}, ${isNeeded ? 'with another one' : 'with those taken'}`, () =>
      expect([paidChanges(read), needsPermit(read)]).to.deep.equal([paid, isNeeded]));
});
