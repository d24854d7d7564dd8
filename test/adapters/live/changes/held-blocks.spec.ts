import { expect } from 'chai';
import { ChangeBlocks } from '../../../../src/adapters/live/changes/change-blocks.js';
import { ChangeEntry } from '../../../../src/adapters/live/changes/change-entry.js';
import { NO_FILTER } from '../../../../src/domain/feed/stream-filter.js';
import { publishedFrom } from '../../../support/live/stored-changes.js';
import { nextImmediate } from '../../../support/next-immediate.js';

/** Blocks of which there is room for one. */
async function tightBlocks() {
  const counted = { reads: 0, atOnce: 0, mostAtOnce: 0 };
  const blocks = new ChangeBlocks({
    read: async (first, count) => {
      counted.reads += 1;
      counted.atOnce += 1;
      counted.mostAtOnce = Math.max(counted.mostAtOnce, counted.atOnce);
      await nextImmediate();
      counted.atOnce -= 1;
      return publishedFrom(first, count);
    },
    newest: () => 1_000,
    now: () => 0,
    maxBytes: 1,
  });
  /** Looks a change up until it is in memory, as a stream does; other streams take their turns in between. */
  const lookUp = async (n: number): Promise<ChangeEntry> => {
    for (;;) {
      const entry = blocks.entry(n);
      if (entry instanceof ChangeEntry) return entry;
      await entry;
      for (let i = 0; i < 3; i += 1) await nextImmediate();
    }
  };
  // Afterwards there is no room for another block.
  await lookUp(901);
  counted.reads = 0;
  return { blocks, counted, lookUp };
}

describe('Blocks of older changes with less room than their streams need', () => {
  it('are each read once for the streams that wait for them', async () => {
    const { lookUp, counted } = await tightBlocks();
    const numbers = [5, 105, 205, 305, 6, 106, 206, 306];
    const found = await Promise.all(numbers.map(lookUp));
    expect(found.map(({ n }) => n)).to.deep.equal(numbers);
    expect([counted.reads, counted.mostAtOnce]).to.deep.equal([4, 2]);
  });

  it('are dropped for streams that do not come back', async () => {
    const { blocks, lookUp, counted } = await tightBlocks();
    void blocks.entry(5);
    void blocks.entry(105);
    void blocks.entry(205);
    expect((await lookUp(305)).n).to.equal(305);
    expect(counted.reads).to.equal(4);
  });

  it('lose a change that a later one supersedes, also after they were dropped', async () => {
    const { blocks, lookUp } = await tightBlocks();
    const waiting = blocks.entry(5);
    await waiting;
    await blocks.entry(105);
    blocks.supersede('i5', 1_001);
    expect((await lookUp(5)).messageFor(NO_FILTER)).to.equal(null);
  });
});
