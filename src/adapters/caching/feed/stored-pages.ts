import type { FeedRange, FeedStore } from '../../../application/ports/feed/feed-store.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { Moment } from '../../../domain/moment.js';
import type { ChangeFollower } from '../change-follower.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * Pages from the store itself, whose head is never below one that this process has returned before (D7).
 *
 * A head below one that was seen before the read shows that the store has returned to an older state (D45). The page is
 * then read again after the follower has noticed this too. Until the head is raised, pages have the head that was lost.
 */
export const storedPages =
  (
    feed: Pick<FeedStore, 'page'>,
    copy: Pick<FeedCopy, 'greatestHead' | 'lostHead' | 'noteHead'>,
    follower: Pick<ChangeFollower, 'readNow'>,
  ): FeedStore['page'] =>
  async (range: FeedRange, reader?: SubscriptionId) => {
    const seen = copy.greatestHead;
    let page = await feed.page(range, reader);
    if (isBelow(page.head, seen)) {
      await follower.readNow();
      page = await feed.page(range, reader);
    }
    copy.noteHead(page.head);
    return isBelow(page.head, copy.lostHead) ? { ...page, head: copy.lostHead } : page;
  };

const isBelow = (head: Moment | null, other: Moment | null): boolean =>
  other !== null && (head === null || head < other);
