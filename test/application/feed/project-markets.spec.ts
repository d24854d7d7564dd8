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
    const history = new MemoryFeedHistory(feed);
    const markets = new MemoryMarkets();
    markets.apply = (step) => {
      now += BLOCK_TAKES_MS;
      return MemoryMarkets.prototype.apply.call(markets, step);
    };
    job = new ProjectMarkets(
      { feedHistory: history, marketProjection: markets, monotonicClock: () => now },
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
      async (ms) => {
        pauses.push(ms);
        now += ms;
      },
    );

  it('hurries while nothing is served yet', async () => {
    await publish(0, 4);
    await run();
    expect(new Set(pauses)).to.deep.equal(new Set([5]));
  });

  it('works an eighth of the time beside publishers, so that it does not slow them down', async () => {
    await run();
    pauses = [];
    now += 10_000;
    await publish(0, 5);
    await run();
    expect(pauses).to.deep.equal([7 * BLOCK_TAKES_MS, 7 * BLOCK_TAKES_MS]);
  });

  it('catches up when the log has had no new change for two seconds', async () => {
    await run();
    pauses = [];
    now += 10_000;
    await publish(0, 60);
    await run();
    const slow = pauses.filter((ms) => ms === 7 * BLOCK_TAKES_MS);
    expect(slow).to.have.length(2_000 / (8 * BLOCK_TAKES_MS));
    expect(pauses).to.deep.equal([...slow, 5, 5, 5, 5]);
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
