import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../../application/ports/feed/feed-store.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { unlessUnavailable } from '../../../application/unavailable.js';
import type { ChangeFollower } from '../change-follower.js';
import { isReadFirst, READ_FIRST_MS } from '../copy-use.js';
import type { FeedCopy } from './feed-copy.js';
import { pagesFromStore } from './pages-from-store.js';
import { risingPage } from './rising-page.js';

type Follower = Pick<
  ChangeFollower,
  'readNow' | 'readWithin' | 'readAt' | 'pageSource' | 'untilCurrent' | 'use'
>;

type Surroundings = {
  readonly now: MonotonicClock;
  /** Whether no other instance runs. */
  readonly isAlone: () => boolean;
  readonly isStoreAway: () => boolean;
};

/**
 * Pages from the copy, or from the store if the copy lacks their items. While the copy is outdated and the store answers, pages
 * come from the store, unless the store returns an older state than the copy. A page with a cursor may first wait for a read of
 * the logs (`isReadFirst`).
 */
export function hotPages(
  feed: FeedPages,
  copy: FeedCopy,
  follower: Follower,
  { now, isAlone, isStoreAway }: Surroundings,
): FeedPages {
  const { fromStore, belowCursor } = pagesFromStore(feed, copy, now, isStoreAway);
  /** The start of the last read of the logs whose changes were all applied at the time of a request. */
  let appliedAt: number | null = null;
  const source = () => {
    if (copy.isComplete) appliedAt = follower.readAt;
    return follower.pageSource(appliedAt);
  };
  const afterRead = async (range: FeedRange): Promise<FeedPageSnapshot> => {
    await follower.untilCurrent();
    if (source() !== 'store') return copy.page(range) ?? feed.page(range);
    return range.before === null ? fromStore(range) : belowCursor(range);
  };
  const readFirst = async (range: FeedRange): Promise<FeedPageSnapshot> => {
    const updated = async () => {
      if (!(await follower.readWithin(READ_FIRST_MS))) return undefined;
      await copy.updated();
      return copy.page(range);
    };
    return (await updated().catch(unlessUnavailable)) ?? belowCursor(range);
  };
  const page: FeedPages['page'] = (range, reader) => {
    const copied = copy.page(range);
    if (copied === undefined) return feed.page(range, reader);
    if (isReadFirst(range.before !== null, isAlone(), isStoreAway())) return readFirst(range);
    const from = source();
    if (from === 'copy') return copied;
    if (from !== 'store') return afterRead(range);
    return range.before === null ? fromStore(range) : belowCursor(range);
  };
  const sources = { pages: { page }, fromStoreNow: belowCursor, isStoreAway };
  return { page: risingPage(sources, copy, follower) };
}
