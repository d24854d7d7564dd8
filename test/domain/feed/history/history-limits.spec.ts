import { expect } from 'chai';
import {
  BLOCK_BYTES,
  blockBytes,
  changesOfBlock,
  LARGE_BLOCK_BYTES,
  needsPermit,
  paidChanges,
} from '../../../../src/domain/feed/history/history-limits.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';

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

describe('The block of an export after another one', () => {
  const cases = [
    [100, BLOCK_BYTES, 100, 'as many changes if the block before had the bytes of a block'],
    [100, BLOCK_BYTES / 4, 400, 'four times as many if it had a quarter of them'],
    [1, 8 * BLOCK_BYTES, 1, 'one if each change is larger than a block'],
    [100, 0, 500, 'those of a permit if the block before had retractions only'],
    [500, 1, 500, 'no more than those of a permit'],
  ] as const;
  for (const [read, bytes, count, title] of cases)
    it(`has ${title}`, () => expect(changesOfBlock(read, bytes, BLOCK_BYTES)).to.equal(count));

  it('has more changes if it may have more bytes', () =>
    expect(changesOfBlock(50, BLOCK_BYTES, LARGE_BLOCK_BYTES)).to.equal(200));

  it('is large only if the process has read no other requests, and there is no filter', () => {
    const ofMarket = { ...NO_FILTER, marketIds: new Set(['m']) };
    expect(blockBytes(false, NO_FILTER)).to.equal(LARGE_BLOCK_BYTES);
    for (const [hasReadRequests, filter] of [
      [true, NO_FILTER],
      [false, ofMarket],
    ] as const)
      expect(blockBytes(hasReadRequests, filter)).to.equal(BLOCK_BYTES);
  });
});
