import type { ContentFilters } from './api.js';

const FEED_FILTERS = 'Feed-Filters';

/** The header of a page that honoured `as_of`. */
export const AS_OF = 'Feed-As-Of';

/** The content filters, each with the header in which a response says that it honoured it. */
export const FILTERS: Readonly<Record<keyof ContentFilters, typeof FEED_FILTERS>> = {
  category: FEED_FILTERS,
  source_tier: FEED_FILTERS,
  relevance: FEED_FILTERS,
  source: FEED_FILTERS,
  source_type: FEED_FILTERS,
  author: FEED_FILTERS,
  effect: FEED_FILTERS,
  outcome: FEED_FILTERS,
  momentum: FEED_FILTERS,
  venue: FEED_FILTERS,
  market: FEED_FILTERS,
  q: FEED_FILTERS,
};

const HEADERS = { ...FILTERS, as_of: AS_OF } as const;
type Name = keyof typeof HEADERS;

const isName = (name: string): name is Name => Object.hasOwn(HEADERS, name);

/**
 * A parameter that a response of the feed does not say to have honoured; null if there is none. Then an instance of an
 * earlier version has answered, which ignores parameters that it does not know: everything would appear to match.
 */
export function ignoredParameter(query: Readonly<Record<string, unknown>>, headers: Headers): string | null {
  const filters = headers.get(FEED_FILTERS)?.split(', ') ?? [];
  const isHonoured = (name: Name) =>
    HEADERS[name] === FEED_FILTERS ? filters.includes(name) : headers.has(HEADERS[name]);
  const sent = Object.keys(query).filter((name) => query[name] !== undefined);
  return sent.find((name) => isName(name) && !isHonoured(name)) ?? null;
}
