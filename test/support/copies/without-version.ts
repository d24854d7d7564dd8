import type { FeedPageSnapshot } from '../../../src/application/ports/feed/feed-store.js';

/** A page as clients see it. Each process names versions by itself. */
export const withoutVersion = (page: FeedPageSnapshot | undefined) => {
  if (page === undefined) return undefined;
  const { items, head, position } = page;
  return { items, head, position };
};
