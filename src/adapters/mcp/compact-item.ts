import type { FeedItem, SubMarket } from '../../domain/feed/feed-item.js';
import { wordsOf } from '../../domain/feed/filters/text-words.js';

/** The most bytes of an item as JSON: about 300 tokens of a language model. */
export const COMPACT_BYTES_MAX = 1_200;

/** The lengths of a headline, of which the first that leaves room is used: an id can have many characters. */
const HEADLINE_LENGTHS = [200, 100, 50] as const;
const TITLE_LENGTH_MAX = 120;
const SOURCE_LENGTH_MAX = 60;
/** The most bytes of an address with the id. A longer address is left out: a part of it opens nothing. */
const URL_BYTES_MAX = 300;
/** The lengths of a rationale, of which the first that leaves room is used. */
const RATIONALE_LENGTHS = [320, 160, 80] as const;
const RATIONALE_LENGTH_MIN = 80;
const TITLE_WORDS_MAX = 200;

/** What an agent reads of a market of an item. */
type CompactMarket = {
  readonly market_id: string;
  readonly market_title: string;
  readonly yes_ask: number;
  readonly affected_outcome: string;
  readonly effect: string;
  readonly rationale: string;
};

/** What an agent reads of an item, if it reads several: `get_news` has the whole item. */
export type CompactItem = {
  readonly news_id: string;
  readonly headline: string;
  readonly endpoint_published_at: string;
  readonly source_name: string;
  readonly source_news_url: string | null;
  readonly markets: readonly CompactMarket[];
  /** How many markets of the item are left out. */
  readonly more_markets: number;
};

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The item with as many of its markets as fit: those first whose title has the most of these words. */
export function compactItem(
  { news_event, related_markets }: FeedItem,
  queryWords: readonly string[],
): CompactItem {
  const subs = matchingFirst(
    related_markets.flatMap(({ sub_markets }) => sub_markets),
    queryWords,
  );
  const { source_news_url: url } = news_event;
  const withHeadline = (length: number): CompactItem => ({
    news_id: news_event.id,
    headline: shortened(news_event.headline, length),
    endpoint_published_at: news_event.endpoint_published_at,
    source_name: shortened(news_event.source_name, SOURCE_LENGTH_MAX),
    source_news_url: bytesOf([news_event.id, url]) > URL_BYTES_MAX ? null : url,
    markets: [],
    more_markets: subs.length,
  });
  // An item without its market says nothing about its price, so the first one has precedence over a long headline.
  const withFirst = (length: number): CompactItem => ({
    ...withHeadline(length),
    markets: subs.slice(0, 1).map((sub) => compactMarket(sub, RATIONALE_LENGTH_MIN)),
  });
  const leavesRoom = (of: typeof withFirst) => HEADLINE_LENGTHS.find((length) => fits(of(length)));
  let compact = withHeadline(leavesRoom(withFirst) ?? leavesRoom(withHeadline) ?? 0);
  for (const sub of subs) {
    const { markets, more_markets } = compact;
    const longer = RATIONALE_LENGTHS.map((length) => ({
      ...compact,
      markets: [...markets, compactMarket(sub, length)],
      more_markets: more_markets - 1,
    }));
    const fitting = longer.find(fits);
    if (fitting === undefined) continue;
    compact = fitting;
  }
  return compact;
}

const fits = (item: CompactItem): boolean => bytesOf(item) <= COMPACT_BYTES_MAX;

function matchingFirst(subs: readonly SubMarket[], queryWords: readonly string[]): readonly SubMarket[] {
  if (queryWords.length === 0) return subs;
  const matches = new Map(
    subs.map((sub) => {
      const own = wordsOf(sub.sub_market_title, TITLE_WORDS_MAX);
      return [sub, queryWords.filter((word) => own.has(word)).length];
    }),
  );
  return subs.toSorted((one, other) => (matches.get(other) ?? 0) - (matches.get(one) ?? 0));
}

const compactMarket = (
  { sub_market_id, sub_market_title, market_snapshot, news_effect }: SubMarket,
  rationaleLength: number,
): CompactMarket => ({
  market_id: sub_market_id,
  market_title: shortened(sub_market_title, TITLE_LENGTH_MAX),
  yes_ask: market_snapshot.yes_ask,
  affected_outcome: news_effect.affected_outcome,
  effect: news_effect.effect,
  rationale: shortened(news_effect.rationale, rationaleLength),
});

/** A text of at most so many characters. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  // A surrogate pair is not cut.
  return `${[...text.slice(0, lengthMax)].slice(0, -1).join('')}…`;
}
