import type { FeedPages } from '../../../application/ports/feed/feed-store.js';
import type { Moment } from '../../../domain/moment.js';
import type { ChangeFollower } from '../change-follower.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * Pages from the store itself, whose head is never below one that this process has returned before (D7).
 *
 * A head below one that was seen before the read shows that the store has returned to an older state (D45). The page is
 * then read again after the follower has noticed this too. Until the head is raised, pages have the head that was lost.
 */
export function storedPages(
  feed: FeedPages,
  copy: Pick<FeedCopy, 'greatestHead' | 'lostHead' | 'noteHead'>,
  follower: Pick<ChangeFollower, 'readNow'>,
): FeedPages {
  const page: FeedPages['page'] = async (range, reader) => {
    const seen = copy.greatestHead;
    let read = await feed.page(range, reader);
    if (isBelow(read.head, seen)) {
      await follower.readNow();
      read = await feed.page(range, reader);
    }
    copy.noteHead(read.head);
    return isBelow(read.head, copy.lostHead) ? { ...read, head: copy.lostHead } : read;
  };
  return { page };
}

const isBelow = (head: Moment | null, other: Moment | null): boolean =>
  other !== null && (head === null || head < other);
