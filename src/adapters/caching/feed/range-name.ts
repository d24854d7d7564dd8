import type { FeedRange } from '../../../application/ports/feed/feed-store.js';

/** The text of a range. Ids and terms can be any text, so they are encoded as JSON to keep names unambiguous. */
export const nameOf = ({ before, since, newsId, marketId, terms, count }: FeedRange): string =>
  newsId === null && marketId === null && terms.length === 0
    ? `${before} ${since} ${count}`
    : `${before} ${since} ${count} ${JSON.stringify([newsId, marketId, terms])}`;
