import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../domain/moment.js';
import type { FeedPages } from '../ports/feed/feed-store.js';
import { Unavailable } from '../unavailable.js';

/** The range of the newest item. */
export const NEWEST_ITEM = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: NO_TERMS,
  count: 1,
} as const;

/** The head of the feed (D7); null before the first publication, and while the feed is unavailable. */
export const readFeedHead = ({ feed }: { readonly feed: FeedPages }) =>
  async function readFeedHead(): Promise<Moment | null> {
    try {
      return (await feed.page(NEWEST_ITEM)).head;
    } catch (fault) {
      if (fault instanceof Unavailable) return null;
      throw fault;
    }
  };

export type ReadFeedHead = ReturnType<typeof readFeedHead>;
