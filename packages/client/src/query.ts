import type { ContentFilters } from './api.js';
import { invalidOptions } from './errors.js';

export type PageQuery = ContentFilters & {
  /** Items of a page, from 1 to 500. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** Only items whose `scored_at` is this time or later. */
  readonly since?: string | Date | undefined;
  readonly news_id?: string | undefined;
  readonly market_id?: string | undefined;
  /** The feed as it was at this position or time. */
  readonly as_of?: string | Date | undefined;
};

export type FollowQuery = ContentFilters & {
  /** Begins with the changes after this position: of a message, or of a page. Takes precedence over `since`. */
  readonly after?: string | undefined;
  /** Begins with the items whose `scored_at` is this time or later, oldest first. At most 7 days back. */
  readonly since?: string | Date | undefined;
  /** Only changes of this news event, with its retraction. */
  readonly news_id?: string | undefined;
  /** Only items with one of these sub-markets, up to 50, without their other sub-markets. */
  readonly market_id?: string | readonly string[] | undefined;
};

export type HistoryQuery = ContentFilters & {
  /** The changes after this position. Takes precedence over `since`. */
  readonly after?: string | undefined;
  /** The changes that became known at this time or later. */
  readonly since?: string | Date | undefined;
  /** Up to this position or time, included. */
  readonly until?: string | Date | undefined;
  readonly news_id?: string | undefined;
  /** Only items with one of these sub-markets, up to 50, without their other sub-markets. */
  readonly market_id?: string | readonly string[] | undefined;
};

export type MarketsQuery = {
  /** Only markets that one of these means, up to 20: an id, a URL, the last segment of a URL, or a token id. */
  readonly ref?: string | readonly string[] | undefined;
  /** Up to four words that the title has. */
  readonly q?: string | undefined;
  /** The host of the URL, such as `polymarket.com`. */
  readonly venue?: string | undefined;
  readonly kind?: 'main' | 'sub' | undefined;
  /** Only the sub-markets of this main market. */
  readonly main_market_id?: string | undefined;
  /** `news`: the newest item first. `id`: a walk lists every market, whatever is published meanwhile. */
  readonly sort?: 'news' | 'id' | undefined;
  /** Markets of a page, from 1 to 500. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page, with the same `sort`. */
  readonly cursor?: string | undefined;
};

/** The parameters that are repeated. Other lists are joined by commas. */
const REPEATED: readonly string[] = ['market_id', 'market', 'ref'];

type Value = string | number | Date | readonly string[];

/** Writes a query. Values that are undefined are left out. Throws `invalid_options` if a list is empty. */
export function queryText(values: Readonly<Record<string, Value | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    for (const text of textsOf(name, value)) query.append(name, text);
  }
  return query.toString();
}

function textsOf(name: string, value: Value): readonly string[] {
  if (value instanceof Date) return [value.toISOString()];
  if (typeof value !== 'object') return [String(value)];
  // Sent, it would select everything.
  if (value.length === 0)
    throw invalidOptions(`\`${name}\` is an empty list: leave it out to select everything.`);
  return REPEATED.includes(name) ? value : [value.join(',')];
}
