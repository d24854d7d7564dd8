import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../application/unavailable.js';
import type { FeedCopy } from './feed-copy.js';

/**
 * A feed whose newest items are served from a copy in the process, and the rest by its store. Who has published here
 * finds it here: a change is in the copy before it is answered, unless the store went away right after.
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
