import type { FeedPageSnapshot, FeedRange, FeedStore } from '../../../application/ports/feed/feed-store.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { FROM_STORE_MS } from '../../../domain/copy-use.js';
import { holds } from '../../../domain/feed/position.js';
import type { FeedCopy } from './feed-copy.js';
import { SharedPages } from './shared-pages.js';

/** Pages of the store, for ranges whose items the copy has too: the copy answers for a store that does not. */
export function pagesFromStore(
  feed: Pick<FeedStore, 'page'>,
  copy: Pick<FeedCopy, 'page'>,
  now: MonotonicClock,
  isStoreAway: () => boolean,
) {
  const shared = new SharedPages(feed, now);
  /** The store may have returned to an older state (D45). */
  const newer = (stored: FeedPageSnapshot, range: FeedRange): FeedPageSnapshot => {
    const copied = copy.page(range);
    return copied === undefined || holds(stored.position, copied.position) ? stored : copied;
  };
  /** Without a cursor, an older page is better than a late one. The read goes on, and the next requests share it. */
  const fromStore = async (range: FeedRange): Promise<FeedPageSnapshot> => {
    const read = shared.page(range);
    const stored = await Promise.race([read, late(FROM_STORE_MS)]);
    if (stored !== 'late' && stored !== null) return newer(stored, range);
    return copy.page(range) ?? (await read) ?? feed.page(range);
  };
  /**
   * With a cursor, a page of the copy could lack what the walk has shown, unless the store is away: slow is not away. A store
   * that has just stopped to answer is known to be away by the second read.
   */
  const belowCursor = async (range: FeedRange): Promise<FeedPageSnapshot> => {
    for (let reads = 0; reads < 2 && !isStoreAway(); reads += 1) {
      const stored = await shared.newPage(range);
      if (stored !== null) return newer(stored, range);
    }
    return (isStoreAway() ? copy.page(range) : undefined) ?? feed.page(range);
  };
  return { fromStore, belowCursor };
}

const late = (ms: number): Promise<'late'> =>
  new Promise((done) => {
    setTimeout(() => done('late'), ms).unref();
  });
