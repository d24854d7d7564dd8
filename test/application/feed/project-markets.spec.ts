import { expect } from 'chai';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryMarkets } from '../../../src/adapters/memory/feed/memory-markets.js';
import { ProjectMarkets } from '../../../src/application/feed/project-markets.js';
import { listedItem } from '../../support/live/stored-changes.js';

const BLOCK = 2;
const BLOCK_TAKES_MS = 10;

describe('The job that follows the log for the directory of markets (D65)', () => {
  let feed: MemoryFeedStore;
  let now: number;
  let pauses: number[];
  let job: ProjectMarkets;
  beforeEach(() => {
    [feed, now, pauses] = [new MemoryFeedStore(), 0, []];
    job = new ProjectMarkets(
      {
        feedHistory: new MemoryFeedHistory(feed),
        marketProjection: new MemoryMarkets(),
        // Read before and after each block.
        monotonicClock: () => {
          now += BLOCK_TAKES_MS;
          return now;
        },
      },
      BLOCK,
    );
  });

  const publish = (from: number, to: number) =>
    feed.publish(
      Array.from({ length: to - from }, (_, i) => listedItem(`i${from + i}`, from + i, ['m'])),
      'live',
    );
  const run = () =>
    job.run(
      () => true,
      async (ms) => void pauses.push(ms),
    );

  it('hurries while nothing is served yet', async () => {
    await publish(0, 4);
    await run();
    expect(new Set(pauses)).to.deep.equal(new Set([5]));
  });

  it('works a quarter of the time while it follows, so that it does not slow down publishers', async () => {
    await run();
    pauses = [];
    await publish(0, 5);
    await run();
    expect(pauses).to.deep.equal([3 * BLOCK_TAKES_MS, 3 * BLOCK_TAKES_MS]);
  });

  it('stops between two blocks if it may not work any more', async () => {
    await run();
    pauses = [];
    await publish(0, 5);
    await job.run(
      () => pauses.length === 0,
      async (ms) => void pauses.push(ms),
    );
    expect(pauses).to.have.length(1);
  });
});
