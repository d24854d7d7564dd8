import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../application/unavailable.js';
import type { ChangeFollower } from './change-follower.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * A feed that serves its newest items from a copy in the process, and older ones from its store. A change through this
 * instance is in the copy of this instance before the call returns, unless the store becomes unavailable after the
 * write. An item that was published below a head that this process has seen is published again: the store had returned
 * to an older state, and its head is raised now (D45).
 */
export function hotFeedStore(
  feed: FeedStore,
  copy: FeedCopy,
  follower: Pick<ChangeFollower, 'readNow'>,
): FeedStore {
  const updatingCopy = async <Answer>(change: Promise<Answer>): Promise<Answer> => {
    const answer = await change;
    try {
      await follower.readNow();
      await copy.updated();
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
    return answer;
  };
  return {
    publish: async (items, mode) => {
      const seen = copy.greatestHead;
      const published = await updatingCopy(feed.publish(items, mode));
      const isBelow = seen !== null && published.some(({ scoredAt }) => scoredAt <= seen);
      return mode === 'live' && isBelow ? updatingCopy(feed.publish(items, mode)) : published;
    },
    retract: (id) => updatingCopy(feed.retract(id)),
    find: (ids) => feed.find(ids),
    raiseHead: (seen, now) => feed.raiseHead(seen, now),
    page: (range) => copy.page(range) ?? feed.page(range),
  };
}
