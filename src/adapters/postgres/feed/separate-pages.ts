import type { FeedPages } from '../../../application/ports/feed/feed-store.js';

/** Pages with a filter by terms are read apart from the others, because they can take long (D57). */
export function separatePages(whole: FeedPages, filtered: FeedPages): FeedPages {
  return { page: (range, reader) => (range.terms.length > 0 ? filtered : whole).page(range, reader) };
}
