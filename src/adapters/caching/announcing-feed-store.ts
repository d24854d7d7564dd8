import type { FeedStore } from '../../application/ports/feed/feed-store.js';
import type { Signals } from '../../application/ports/signals.js';

/** Tells whoever keeps a copy of the feed about each change, once it is stored (D11). */
export function announcingFeedStore(feed: FeedStore, signals: Signals): FeedStore {
  const announce = () => signals.send({ changed: 'feed' });
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
    page: (range) => feed.page(range),
    find: (ids) => feed.find(ids),
    changesSince: (n, count) => feed.changesSince(n, count),
  };
}
