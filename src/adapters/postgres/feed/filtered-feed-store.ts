import type { FeedStore } from '../../../application/ports/feed/feed-store.js';

/** A feed whose pages with a filter by terms are read elsewhere, so that other reads do not wait for them (D57). */
export const filteredFeedStore = (store: FeedStore, filtered: Pick<FeedStore, 'page'>): FeedStore => ({
  publish: (items, mode) => store.publish(items, mode),
  retract: (id) => store.retract(id),
  find: (ids) => store.find(ids),
  raiseHead: (seen, now) => store.raiseHead(seen, now),
  page: (range) => (range.terms.length > 0 ? filtered.page(range) : store.page(range)),
});
