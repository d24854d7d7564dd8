import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../application/unavailable.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * A feed that serves its newest items from a copy in the process, and older ones from its store. A change through this
 * instance is in its copy before the call returns, unless the store becomes unavailable right after the write.
 */
export function hotFeedStore(feed: FeedStore, copy: FeedCopy): FeedStore {
  const followed = async <Answer>(change: Promise<Answer>): Promise<Answer> => {
    const answer = await change;
    await copy.followNow().catch((fault: unknown) => {
      if (!(fault instanceof Unavailable)) throw fault;
    });
    return answer;
  };
  return {
    publish: (items, mode) => followed(feed.publish(items, mode)),
    retract: (id) => followed(feed.retract(id)),
    find: (ids) => feed.find(ids),
    changesSince: (n, count) => feed.changesSince(n, count),
    page: (range) => copy.page(range) ?? feed.page(range),
  };
}
