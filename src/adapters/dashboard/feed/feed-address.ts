import { FACETS } from '../../../domain/feed/filters/facets.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';

export const FEED_PATH = '/dashboard/feed';

/** Those of which the API takes several values in one text, separated by commas. */
const LISTS: ReadonlySet<string> = new Set(Object.keys(FACETS));
/** Under the names of the API, so that an address can be copied into a request (D48, D57, D65). */
const FILTERS: readonly string[] = ['q', 'market', 'market_id', 'news_id', ...LISTS];

/** The filters in the address of the page. An empty field of a form is none, and neither is a text with an API key (D19). */
export function feedFilter(
  querystring: string,
  { containsKey }: Pick<KeyFormat, 'containsKey'>,
): URLSearchParams {
  const asked = new URLSearchParams(querystring);
  const filter = new URLSearchParams();
  for (const name of FILTERS) {
    const values = asked
      .getAll(name)
      .map((value) => value.trim())
      .filter((value) => value !== '' && !containsKey(value));
    const sent = LISTS.has(name) && values.length > 0 ? [values.join(',')] : values;
    for (const value of sent) filter.append(name, value);
  }
  return filter;
}

/** The address of a page of the feed. */
export function feedPath(filter: URLSearchParams, cursor: string | null = null): string {
  const query = new URLSearchParams(filter);
  if (cursor !== null) query.set('cursor', cursor);
  return query.size === 0 ? FEED_PATH : `${FEED_PATH}?${query}`;
}

export const feedPathFor = (filter: Readonly<Record<string, string>>): string =>
  feedPath(new URLSearchParams(filter));

/** The same filters but for one value. */
export function withoutFilter(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const rest = new URLSearchParams(filter);
  rest.delete(name, value);
  return rest;
}
