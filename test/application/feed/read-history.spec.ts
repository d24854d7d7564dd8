import { expect } from 'chai';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { type HistoryRange, ReadHistory } from '../../../src/application/feed/read-history.js';
import { NO_FILTER } from '../../../src/domain/feed/stream-filter.js';
import { plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const WHOLE = { ...NO_FILTER, newsId: null };
/** A filter that every item passes. A page then reads more changes than it has. */
const ALL = { ...WHOLE, marketIds: new Set(['m1']) };
const NOTHING = { ...WHOLE, marketIds: new Set(['nowhere']) };

describe('The history in pages', () => {
  const fixture = () => {
    const clock = { now: NOON };
    const feed = new MemoryFeedStore(undefined, () => clock.now);
    let version = 0;
    const publish = (...ids: readonly string[]) => {
      version += 1;
      const json = Buffer.from(String(version));
      return feed.publish(
        ids.map((id) => ({ id, scoredAt: NOON, json, subMarketIds: ['m1'] })),
        'live',
      );
    };
    return { clock, publish, history: new ReadHistory({ feedPast: feed.past }) };
  };
  const always = async () => true;
  const rangeOf = async (
    history: ReadHistory,
    bounds: Parameters<ReadHistory['range']>[0] = { from: null, until: null },
  ): Promise<HistoryRange> => {
    const range = await history.range(bounds);
    return 'refused' in range ? expect.fail(range.refused) : range;
  };

  it('has every version that became known at a time, also if several did', async () => {
    const { clock, publish, history } = fixture();
    await publish('before');
    clock.now = plus(NOON, SECOND);
    await publish('a');
    await publish('a');
    await publish('b');
    const time = clock.now;
    for (const [until, filter] of [
      [null, WHOLE],
      [{ by: 'time', time }, WHOLE],
      [null, ALL],
    ] as const) {
      const range = await rangeOf(history, { from: { since: time }, until });
      const shown: string[] = [];
      let isComplete = false;
      for (let after = range.after; !isComplete; ) {
        const page = await history.page({ ...range, after }, filter, 1, always);
        shown.push(...page.changes.map(({ change }) => `${change.id} ${change.revision}`));
        ({ position: after, isComplete } = page);
      }
      expect(shown).to.deep.equal(['a 1', 'a 2', 'b 1']);
    }
  });

  it('with a filter that passes nothing, reads 5,000 changes for a page, and takes a permit for every 500', async () => {
    const { publish, history } = fixture();
    await publish(...Array.from({ length: 5_001 }, (_, i) => `i${i}`));
    let permits = 0;
    const takePermit = async () => {
      permits += 1;
      return true;
    };
    const range = await rangeOf(history);
    const page = await history.page(range, NOTHING, 100, takePermit);
    expect([page.changes, page.position.n, page.isComplete]).to.deep.equal([[], 5_000, false]);
    // The first one is that of the request.
    expect(permits).to.equal(9);
  });
});
