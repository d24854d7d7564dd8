import type { ContentFilters } from './api.js';

type Name = keyof ContentFilters | 'as_of';

const FILTERS = 'Feed-Filters';

/** The header of a page that honoured `as_of`. */
export const AS_OF = 'Feed-As-Of';

/** The header in which a response says that it honoured the parameter. */
const HEADERS: Readonly<Record<Name, typeof FILTERS | typeof AS_OF>> = {
  as_of: AS_OF,
  category: FILTERS,
  source_tier: FILTERS,
  relevance: FILTERS,
  source: FILTERS,
  source_type: FILTERS,
  author: FILTERS,
  effect: FILTERS,
  outcome: FILTERS,
  momentum: FILTERS,
  venue: FILTERS,
  market: FILTERS,
  q: FILTERS,
};

const isName = (name: string): name is Name => Object.hasOwn(HEADERS, name);

/**
 * A parameter that a response of the feed does not say to have honoured; null if there is none. Then an instance of an
 * earlier version has answered, which ignores parameters that it does not know: everything would appear to match.
 */
export function ignoredParameter(query: Readonly<Record<string, unknown>>, headers: Headers): string | null {
  const filters = headers.get(FILTERS)?.split(', ') ?? [];
  const isHonoured = (name: Name) =>
    HEADERS[name] === FILTERS ? filters.includes(name) : headers.has(HEADERS[name]);
  const sent = Object.keys(query).filter((name) => query[name] !== undefined);
  return sent.find((name) => isName(name) && !isHonoured(name)) ?? null;
}
