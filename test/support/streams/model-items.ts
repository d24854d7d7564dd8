import type { ListedItem } from '../../../src/application/ports/feed/feed-store.js';
import { passes, type TermFilter, termsOf } from '../../../src/domain/feed/filters/item-terms.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../objects/builders.js';
import type { RestorableFeed } from './restorable-feed.js';

/** The sub-markets of the model. */
export const MARKETS = ['m1', 'm2', 'm3', 'm4'] as const;

export type Market = (typeof MARKETS)[number];

/** A publication of the model. */
export type Published = {
  readonly id: string;
  readonly markets: readonly Market[];
  readonly category: 'x' | 'y';
  /** Minutes before noon. */
  readonly minutes: number;
  /** Characters of text, so that items have different sizes. */
  readonly characters: number;
};

let revisions = 0;

/** Every item has another text, so that two changes never look the same. Each market has two sub-markets at most. */
export function itemOf({ id, markets, category, minutes, characters }: Published): ListedItem {
  revisions += 1;
  const headline = `revision ${revisions} ${revisions % 3 === 0 ? 'third' : 'other'} ${'é'.repeat(characters)}`;
  const related_markets = [
    { main_market: { market_id: 'odd' }, sub_markets: markets.filter((one) => one === 'm1' || one === 'm3') },
    {
      main_market: { market_id: 'even' },
      sub_markets: markets.filter((one) => one === 'm2' || one === 'm4'),
    },
  ].map(({ sub_markets, ...market }) => ({
    ...market,
    sub_markets: sub_markets.map((sub_market_id) => ({ sub_market_id })),
  }));
  return {
    id,
    scoredAt: plus(NOON, -minutes * MINUTE),
    json: Buffer.from(
      JSON.stringify({
        news_event: { id, headline, feed_categories: [category] },
        related_markets: related_markets.filter(({ sub_markets }) => sub_markets.length > 0),
      }),
    ),
    subMarketIds: markets,
  };
}

type Item = {
  readonly related_markets: readonly {
    readonly sub_markets: readonly { readonly sub_market_id: string }[];
  }[];
};

/** What a client of the model asks for. */
export type ModelFilter = { readonly markets: readonly string[] | null; readonly terms: TermFilter };

/** The JSON of an item as a client with this filter gets it by REST; null if it does not (D9, D57). */
export const filtered = (item: ListedItem, { markets, terms }: ModelFilter): string | null =>
  passes(terms, termsOf(item)) ? filteredText(item.json.toString(), markets) : null;

export function filteredText(text: string, markets: readonly string[] | null): string | null {
  if (markets === null) return text;
  const parsed = JSON.parse(text) as Item;
  const related_markets = parsed.related_markets
    .map((market) => ({
      ...market,
      sub_markets: market.sub_markets.filter(({ sub_market_id: id }) => markets.includes(id)),
    }))
    .filter(({ sub_markets }) => sub_markets.length > 0);
  return related_markets.length === 0 ? null : JSON.stringify({ ...parsed, related_markets });
}

/** `scored_at` and JSON of each item, by its id. */
export type Held = Map<string, string>;

export const heldItem = (scoredAt: string, json: string): string => `${scoredAt} ${json}`;

/** What a client with this filter holds after a walk through the whole feed. */
export function wholeFeed(feed: RestorableFeed, filter: ModelFilter): Held {
  const range = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 100_000 };
  const held: Held = new Map();
  for (const item of feed.page(range).items) {
    const json = filtered(item, filter);
    if (json !== null) held.set(item.id, heldItem(item.scoredAt, json));
  }
  return held;
}
