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

const content = fc.record({
  categories: fc.subarray(CATEGORIES),
  tier: fc.constantFrom(...TIERS),
  bucket: fc.constantFrom(...BUCKETS),
  headline: fc.subarray(WORDS),
  markets: fc.subarray(MARKETS),
});

/** An item with few different terms, so that filters often match. */
export const searchableItem = (
  id: fc.Arbitrary<string>,
  micros: fc.Arbitrary<number>,
): fc.Arbitrary<ListedItem> =>
  fc.tuple(id, micros, content).map(([name, at, { categories, tier, bucket, headline, markets }]) => {
    const news_event = {
      headline: headline.join(' '),
      feed_categories: categories,
      source_tier: tier,
      aggregate_event_relevance: { bucket },
    };
    const json = Buffer.from(JSON.stringify({ news_event }));
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

/** A filter with at least one parameter. */
export const termFilter: fc.Arbitrary<TermFilter> = fc
  .record({
    category: some(CATEGORIES),
    source_tier: some(TIERS),
    relevance: some(BUCKETS),
    q: fc.subarray([...WORDS.map((word) => word.normalize('NFKD').replace(/\p{M}/gu, '')), 'none'], {
      maxLength: 4,
    }),
  })
  .map(termFilterOf)
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
