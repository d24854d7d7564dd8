import { setTimeout } from 'node:timers/promises';
import { andThen } from '../../../application/maybe-promise.js';
import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../../application/ports/feed/feed-store.js';
import { unlessUnavailable } from '../../../application/unavailable.js';
import type { ChangeFollower } from '../change-follower.js';
import { FROM_STORE_MS } from '../copy-use.js';
import type { FeedCopy } from './feed-copy.js';

type Copy = Pick<FeedCopy, 'state' | 'updated' | 'rebuilds'>;
type Follower = Pick<ChangeFollower, 'readNow' | 'use'>;

type Sources = {
  /** Pages of the copy or of the store. */
  readonly pages: FeedPages;
  /** A page of a read of the store that begins after the call. */
  readonly fromStoreNow: (range: FeedRange) => Promise<FeedPageSnapshot>;
  readonly isStoreAway: () => boolean;
};

/**
 * Pages whose positions and heads do not fall (D44): a page that was requested after the answer to another one has at least
 * its position. A page of the store can be ahead of the copy, so
 *
 * - it is returned when the copy has its changes too, unless the logs cannot be read;
 * - a page of the copy that is behind an earlier page is read again.
 *
 * Without a cursor an older page is better than a late one (D35): each of these waits is then 100 ms at most.
 */
export function risingPage(
  { pages, fromStoreNow, isStoreAway }: Sources,
  copy: Copy,
  follower: Follower,
): FeedPages['page'] {
  /** The number of the last change of the pages so far. After a restore the numbers are lower, and the copy was rebuilt (D45). */
  let shown = 0;
  let shownIn = 0;
  const note = (found: FeedPageSnapshot, rebuilds: number): FeedPageSnapshot => {
    if (rebuilds === copy.rebuilds && (rebuilds !== shownIn || found.position.n > shown)) {
      shown = found.position.n;
      shownIn = rebuilds;
    }
    return found;
  };
  const updated = async () => {
    if (isStoreAway() || follower.use() === 'outdated') return;
    await follower.readNow();
    await copy.updated();
  };
  /** A page of the copy, which alone has a version, is never ahead of it. */
  const isAhead = ({ position, version }: FeedPageSnapshot) =>
    version === null && position.n > (copy.state?.position ?? position).n;
  const caughtUp = async (found: FeedPageSnapshot, range: FeedRange): Promise<FeedPageSnapshot> => {
    await inTime(range, updated().catch(unlessUnavailable));
    return found;
  };
  const readAgain = async (found: FeedPageSnapshot, range: FeedRange, seen: number) => {
    if (isStoreAway()) return found;
    // A page of the copy although the logs cannot be read: the store was asked, and has not answered in time.
    const wasLate = found.version !== null && range.before === null;
    if (follower.use() === 'outdated') return wasLate ? found : fromStoreNow(range);
    await updated().catch(unlessUnavailable);
    const other = await pages.page(range);
    return other.position.n >= seen ? other : fromStoreNow(range);
  };
  const again = async (found: FeedPageSnapshot, range: FeedRange, seen: number): Promise<FeedPageSnapshot> =>
    (await inTime(range, readAgain(found, range, seen))) ?? found;
  return (range, reader) => {
    const { rebuilds } = copy;
    const seen = shownIn === rebuilds ? shown : 0;
    return andThen(pages.page(range, reader), (found) => {
      const isBehind = found.position.n < seen;
      if (!isBehind && !isAhead(found)) return note(found, rebuilds);
      const exact = isBehind ? again(found, range, seen) : caughtUp(found, range);
      return exact.then((other) => note(other, rebuilds));
    });
  };
}

/** Undefined if it takes too long for a page without a cursor. */
const inTime = <Answer>(range: FeedRange, answer: Promise<Answer>): Promise<Answer | undefined> =>
  range.before === null
    ? Promise.race([answer, setTimeout(FROM_STORE_MS, undefined, { ref: false })])
    : answer;
