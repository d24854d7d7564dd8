import { setTimeout } from 'node:timers/promises';
import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../../application/ports/feed/feed-store.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { NotNow, Unavailable } from '../../../application/unavailable.js';
import { holds } from '../../../domain/feed/position.js';
import { FROM_STORE_MS, isReadAgain, READ_AGAIN_MS } from '../copy-use.js';
import type { FeedCopy } from './feed-copy.js';
import { SharedPages } from './shared-pages.js';

/** Pages of the store, for ranges whose items the copy has too: the copy answers for a store that does not. */
export function pagesFromStore(
  feed: FeedPages,
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
    if (stored !== 'late' && !(stored instanceof Unavailable)) return newer(stored, range);
    const copied = copy.page(range);
    if (copied !== undefined) return copied;
    const answer = await read;
    return answer instanceof Unavailable ? feed.page(range) : answer;
  };
  /**
   * With a cursor, a page of the copy could lack what the walk has shown, unless the store is away: slow is not away. If the
   * store gives no answer, the page waits until it is known to be away.
   */
  const belowCursor = async (range: FeedRange): Promise<FeedPageSnapshot> => {
    const beganAt = now();
    for (let reads = 1; !isStoreAway(); reads += 1) {
      const stored = await shared.nextPage(range);
      if (!(stored instanceof Unavailable)) return newer(stored, range);
      if (!isReadAgain(stored instanceof NotNow, reads, now() - beganAt)) throw stored;
      await setTimeout(READ_AGAIN_MS);
    }
    return copy.page(range) ?? feed.page(range);
  };
  return { fromStore, belowCursor };
}

const late = (ms: number): Promise<'late'> => setTimeout(ms, 'late', { ref: false });
