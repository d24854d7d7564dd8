import fc from 'fast-check';
import type { FeedRange, FeedStore, ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { termFilterOf } from '../../../src/domain/feed/filters/filter-values.js';
import { passes, type TermFilter, termsOf, withMarket } from '../../../src/domain/feed/filters/item-terms.js';
import { MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { NOON } from './builders.js';

const CATEGORIES = ['politics', 'economy', 'sports'];
const TIERS = ['t1', 't2'];
const BUCKETS = ['high', 'low'];
const WORDS = ['fed', 'cuts', 'rates', 'élection', 'senate'];
const MARKETS = ['m1', 'm2'];
const NAMES = ['Meridian Wire', 'L. O’Brien', 'Doe, Jane', ''];
const TYPES = ['rss', 'wire'];
const EFFECTS = ['supports', 'weakens'];
const OUTCOMES = ['YES', 'NO'];
const VENUES = ['polymarket.com', 'www.Kalshi.com'];
const MAINS = ['main1', 'main2'];

/** A main market with some of the sub-markets. */
const related = fc
  .record({
    main: fc.constantFrom(...MAINS),
    venue: fc.constantFrom(...VENUES),
    effect: fc.constantFrom(...EFFECTS),
    outcome: fc.constantFrom(...OUTCOMES),
    passed: fc.boolean(),
  })
  .map(({ main, venue, effect, outcome, passed }) => (subs: readonly string[]) => ({
    main_market: { market_id: main, market_url: `https://${venue}/markets/a/${main}` },
    sub_markets: subs.map((id) => ({
      sub_market_id: id,
      market_url: `https://${venue}/markets/a/${main}?tid=${id}`,
      outcomes: { yes: { token_id: `${id}-yes` }, no: { token_id: null } },
      news_effect: { effect, affected_outcome: outcome },
      momentum: { passed },
    })),
  }));

const content = fc.record({
  categories: fc.subarray(CATEGORIES),
  tier: fc.constantFrom(...TIERS),
  bucket: fc.constantFrom(...BUCKETS),
  headline: fc.subarray(WORDS),
  markets: fc.subarray(MARKETS),
  source: fc.constantFrom(...NAMES),
  author: fc.option(fc.constantFrom(...NAMES)),
  type: fc.constantFrom(...TYPES),
  relate: related,
});

/** An item with few different terms, so that filters often match. */
export const searchableItem = (
  id: fc.Arbitrary<string>,
  micros: fc.Arbitrary<number>,
): fc.Arbitrary<ListedItem> =>
  fc
    .tuple(id, micros, content)
    .map(([name, at, { categories, tier, bucket, headline, markets, source, author, type, relate }]) => {
      const news_event = {
        headline: headline.join(' '),
        feed_categories: categories,
        source_tier: tier,
        aggregate_event_relevance: { bucket },
        source_name: source,
        source_type: type,
        author,
      };
      const json = Buffer.from(JSON.stringify({ news_event, related_markets: [relate(markets)] }));
      return { id: name, scoredAt: plus(NOON, at * MICROSECOND), subMarketIds: markets, json };
    });

const some = (values: readonly string[]) => fc.subarray([...values, 'nothing']);

/** Items with different ids. */
export const searchableItems = (maxLength: number) =>
  fc.uniqueArray(
    searchableItem(
      fc.nat(40).map((n) => `i${n}`),
      fc.nat(60),
    ),
    { selector: ({ id }) => id, maxLength },
  );

const REFERENCES = [
  ...[...MAINS, ...MARKETS, 'm1-yes', 'm2-yes'],
  'https://www.polymarket.com/de/markets/a/main1/?utm_source=x',
  'kalshi.com/markets/a/main2?tid=m1',
];

/** Values of each parameter. With all of them, nothing would match: mostly few are given. */
const termValues = fc.record({
  category: some(CATEGORIES),
  source_tier: some(TIERS),
  relevance: some(BUCKETS),
  author: some(['l-o-brien', 'doe-jane', 'jane']),
  source: some(['meridian-wire', 'doe']),
  source_type: some(TYPES),
  effect: some(EFFECTS),
  outcome: some(OUTCOMES),
  momentum: some(['passed', 'failed']),
  venue: some(['polymarket.com', 'kalshi.com']),
  market: some(REFERENCES),
  q: fc.subarray([...WORDS.map((word) => word.normalize('NFKD').replace(/\p{M}/gu, '')), 'none'], {
    maxLength: 4,
  }),
});

const PARAMETERS = ['category', 'source_tier', 'relevance', 'author', 'source', 'source_type', 'effect'];
PARAMETERS.push('outcome', 'momentum', 'venue', 'market', 'q');

/** A filter with at least one parameter. */
export const termFilter: fc.Arbitrary<TermFilter> = fc
  .tuple(termValues, fc.subarray(PARAMETERS, { minLength: 1, maxLength: 4 }))
  .map(([values, given]) =>
    termFilterOf(Object.fromEntries(Object.entries(values).filter(([name]) => given.includes(name)))),
  )
  .filter((filter) => filter.length > 0);

export const market: fc.Arbitrary<string | null> = fc.option(fc.constantFrom(...MARKETS, 'nothing'), {
  nil: null,
});

type Filtered = Pick<FeedRange, 'terms' | 'marketId'>;

/** The ids of the items that pass, newest first, by a plain list. */
export const passing = (items: readonly ListedItem[], { terms, marketId }: Filtered): readonly string[] =>
  items
    .toSorted((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1))
    .filter((item) => passes(withMarket(terms, marketId), termsOf(item)))
    .map(({ id }) => id);

/** The ids on each page of a walk, as clients read it: each page but the last one must be full. */
export async function walkOf(
  feed: Pick<FeedStore, 'page'>,
  filtered: Filtered,
  limit: number,
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let before: Moment | null = null; ; ) {
    const range = { before, since: null, newsId: null, ...filtered, count: limit + 1 };
    const { items } = await feed.page(range);
    pages.push(items.slice(0, limit).map(({ id }) => id));
    before = items.length > limit ? (items[limit - 1]?.scoredAt ?? null) : null;
    if (before === null) return pages;
  }
}

/** The same ids on pages of this length. */
export const pagesOf = (ids: readonly string[], limit: number): string[][] => {
  const pages: string[][] = [];
  for (let i = 0; i < Math.max(1, ids.length); i += limit) pages.push(ids.slice(i, i + limit));
  return pages;
};
