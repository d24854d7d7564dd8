import type { FeedStore } from '../../application/ports/feed-store.js';
import { Unavailable } from '../../application/unavailable.js';
import type { FeedCopy } from './feed-copy.js';

/** A feed that goes on being served from a copy while its store is away, as far as the copy knows (D35). */
export const standbyFeedStore = (feed: FeedStore, copy: FeedCopy): FeedStore => ({
  place: (items, mode) => feed.place(items, mode),
  retract: (id) => feed.retract(id),
  find: (ids) => feed.find(ids),
  changesSince: (n, count) => feed.changesSince(n, count),
  page: async (range) => {
    try {
      return await feed.page(range);
    } catch (fault) {
      const kept = fault instanceof Unavailable ? copy.page(range) : undefined;
      if (kept === undefined) throw fault;
      return kept;
    }
  },
});
