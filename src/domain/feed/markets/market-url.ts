import { ownValue } from '../../own-value.js';
import { parsedUrl } from '../../parsed-url.js';

/** A URL of a market in its normal forms: URLs that differ only in what does not name a market have the same forms (D63). */
export type MarketUrl = {
  /** The host in lower case, without `www.`. */
  readonly venue: string;
  /** The venue and the path, with query and fragment. */
  readonly whole: string;
  /** The venue and the path. */
  readonly page: string;
  /** The last segment of the path, or the Kalshi ticker in the fragment. Null if the URL has no path. */
  readonly slug: string | null;
  /** Whether the slug is a Kalshi ticker: its case does not count. */
  readonly isTicker: boolean;
};

/** The path and the fragment of a URL, as the rule of a venue changes them. */
type Target = { readonly path: readonly string[]; readonly fragment: string };

const LOCALE = /^[a-z]{2}(?:-[a-z]{2,4})?$/i;
const TRACKING = /^(?:utm_.*|via|ref)$/i;
const WITH_SCHEME = /^https?:\/\//i;
/** Without a scheme, a URL begins with a host that has a dot, and has a path. An id can have either alone. */
const WITHOUT_SCHEME = /^[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?\//;

const KALSHI = 'kalshi.com';
/** How venues write the same market in several ways. All other venues are compared by host and path. */
const VENUES: Readonly<Record<string, (target: Target) => Target>> = {
  [KALSHI]: kalshi,
  'metaculus.com': metaculus,
};

/** The host in the form in which markets have it. */
export const venueOf = (host: string): string => host.toLowerCase().replace(/^www\./, '');

/** Null for a text that is no URL of http or https. The scheme can be missing. */
export function readMarketUrl(text: string): MarketUrl | null {
  const url = parsed(text);
  if (url === null) return null;
  const venue = venueOf(url.host);
  const sent = { path: pathOf(url), fragment: decoded(url.hash.slice(1)) };
  const { path, fragment } = ownValue(VENUES, venue)?.(sent) ?? sent;
  const page = [venue, ...path.map((segment) => encodeURIComponent(segment))].join('/');
  const isTicker = venue === KALSHI;
  const last = isTicker ? path.at(-1) : sent.path.at(-1);
  return {
    venue,
    page,
    whole: `${page}${queryOf(url)}${fragment === '' ? '' : `#${encodeURIComponent(fragment)}`}`,
    slug: isTicker && fragment !== '' ? fragment : (last ?? null),
    isTicker,
  };
}

function parsed(text: string): URL | null {
  const url = WITH_SCHEME.test(text) ? text : WITHOUT_SCHEME.test(text) ? `https://${text}` : '';
  return parsedUrl(url);
}

/** The segments of the path, without the locale before them. */
function pathOf(url: URL): readonly string[] {
  const [first = '', ...others] = url.pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  if (others.length > 0 && LOCALE.test(first)) return others;
  return first === '' ? [] : [first, ...others];
}

function queryOf(url: URL): string {
  const named = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
  const query = new URLSearchParams(named);
  query.sort();
  return named.length === 0 ? '' : `?${query}`;
}

/** The segment as it is if its percent-encoding is not UTF-8. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** `/markets/<series>/<event>`, also with a title before the event; the fragment is the ticker of a market. Case does not count. */
function kalshi({ path, fragment }: Target): Target {
  const [section = '', series = '', ...others] = path.map((segment) => segment.toLowerCase());
  const event = others.at(-1);
  const isOfEvent = section === 'markets' && event !== undefined;
  return {
    path: isOfEvent ? [section, series, event] : path.map((segment) => segment.toLowerCase()),
    fragment: fragment.toLowerCase(),
  };
}

/** `/questions/<number>`, also with a title after the number. */
function metaculus({ path, fragment }: Target): Target {
  const [section, number] = path;
  const isQuestion = section === 'questions' && number !== undefined && /^\d+$/.test(number);
  return { path: isQuestion ? [section, number] : path, fragment };
}
