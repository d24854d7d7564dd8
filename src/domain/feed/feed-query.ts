import type { Moment } from '../moment.js';

/** Bounds of the `limit` parameter (contract sections 4 and 8, D13). */
export const LIMIT = { minimum: 1, maximum: 500, default: 50 } as const;

/** What a page is asked for: `since <= scored_at < cursor`, and both filters hold (D8, D9). */
export type FeedQuery = {
  readonly limit: number;
  readonly cursor: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  readonly marketId: string | null;
};

/** The number that a `limit` parameter writes: one to three digits, and nothing else (D13). */
export const readLimit = (text: string): number | undefined =>
  /^[0-9]{1,3}$/.test(text) ? Number(text) : undefined;
