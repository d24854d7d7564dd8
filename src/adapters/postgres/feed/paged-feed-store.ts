import type { FeedStore } from '../../../application/ports/feed/feed-store.js';

/** The reads of pages: those with a filter by terms are apart, because they can take long (D57). */
export type PageReads = {
  readonly whole: Pick<FeedStore, 'page'>;
  readonly filtered: Pick<FeedStore, 'page'>;
};

/** A feed whose pages are read over connections of their own, so that other reads and writes do not wait for them. */
export const pagedFeedStore = (
  store: Omit<FeedStore, 'page'>,
  { whole, filtered }: PageReads,
): FeedStore => ({
  publish: (items, mode) => store.publish(items, mode),
  retract: (id) => store.retract(id),
  find: (ids) => store.find(ids),
  raiseHead: (seen, now) => store.raiseHead(seen, now),
  page: (range, reader) => (range.terms.length > 0 ? filtered : whole).page(range, reader),
});
