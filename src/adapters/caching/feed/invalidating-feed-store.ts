import type { FeedStore } from '../../../application/ports/feed/feed-store.js';
import type { Invalidations } from '../../../application/ports/invalidations.js';

/** Sends an invalidation of the feed after each stored change (D11). */
export function invalidatingFeedStore(feed: FeedStore, invalidations: Invalidations): FeedStore {
  const announce = () => invalidations.send({ changed: 'feed' });
  return {
    publish: async (items, mode) => {
      const published = await feed.publish(items, mode);
      if (published.length > 0) await announce();
      return published;
    },
    retract: async (id) => {
      const known = await feed.retract(id);
      if (known) await announce();
      return known;
    },
    page: (range, reader) => feed.page(range, reader),
    find: (ids) => feed.find(ids),
    raiseHead: (seen, now) => feed.raiseHead(seen, now),
  };
}
