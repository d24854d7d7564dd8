import type { Moment } from '../moment.js';
import type { TermFilter } from './filters/item-terms.js';

/** Bounds of the `limit` parameter (contract sections 4 and 8, D13). */
export const LIMIT = { minimum: 1, maximum: 500, default: 50 } as const;

/** The query of a page: items with `since <= scored_at < cursor` that match all filters (D8, D9, D57). */
export type FeedQuery = {
  readonly limit: number;
  readonly cursor: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  readonly marketId: string | null;
  readonly terms: TermFilter;
};
