import { latest, type Moment, parseMoment } from '../moment.js';
import type { Fault, Refusal } from '../refusal.js';
import { isFuture, type PublishMode } from './assign-scored-at.js';

/** Contract section 2.3. The times are text as published; `readPublication` turns them into moments. */
export type NewsEvent = {
  readonly id: string;
  readonly headline: string;
  readonly short_headline: string;
  readonly source_news_url: string | null;
  readonly source_name: string;
  readonly source_type: string;
  readonly source_tier: string;
  readonly source_url: string | null;
  readonly short_context: string;
  readonly long_context: string;
  readonly author: string | null;
  readonly feed_categories: readonly string[];
  readonly source_published_at: string;
  readonly endpoint_published_at: string;
  readonly aggregate_event_relevance: { readonly bucket: string };
};

/** Contract section 2.5. The fields for details are null: the sub-markets have the details. */
export type MainMarket = {
  readonly market_id: string;
  readonly market_url: string;
  readonly market_title: string;
  readonly outcomes: null;
  readonly news_effect: null;
  readonly market_snapshot: null;
  readonly thin_liquidity: null;
  readonly momentum: null;
};

/** Contract sections 2.6 to 2.9. */
export type SubMarket = {
  readonly sub_market_id: string;
  readonly sub_market_title: string;
  readonly market_url: string;
  readonly outcomes: {
    readonly yes: { readonly token_id: string | null };
    readonly no: { readonly token_id: string | null };
  };
  readonly news_effect: {
    readonly affected_outcome: string;
    readonly effect: string;
    readonly relevance_bucket: string;
    readonly rationale: string;
  };
  readonly market_snapshot: {
    readonly yes_ask: number;
    readonly no_ask: number;
    readonly volume_24h: number;
    readonly total_volume: number;
    readonly yes_ask_source: string;
    readonly no_ask_source: string;
    readonly yes_tick_age_seconds: number;
    readonly no_tick_age_seconds: number;
    readonly note: string;
  };
  readonly momentum: {
    readonly passed: boolean;
    readonly pre_move_pp: number;
    readonly criteria: string;
    readonly config: string;
  };
};

/** Contract section 2.4. */
export type RelatedMarket<Sub = SubMarket> = {
  readonly main_market: MainMarket;
  readonly market_relationship: { readonly bucket: string; readonly summary: string };
  readonly sub_markets: readonly Sub[];
};

/** The constant metadata of every item (D10). */
export const META = {
  content_type: 'event_driven_market_intelligence',
  not_investment_advice: true,
  not_trading_signal: true,
} as const;

/** Contract section 2.2. */
export type FeedItem = {
  readonly news_event: NewsEvent;
  readonly related_markets: readonly RelatedMarket[];
  readonly meta: typeof META;
};

/** The body that a publisher sends: a feed item without `meta`, with its `scored_at` times (D30, D41). */
export type PublicationInput = {
  readonly news_event: Omit<NewsEvent, 'endpoint_published_at'> & { readonly endpoint_published_at?: string };
  readonly related_markets: readonly RelatedMarket<SubMarket & { readonly scored_at?: string }>[];
  readonly scored_at?: string;
};

/**
 * A validated item, ready to publish. Its assigned time is `scoredAt` or later (D7). `isScoredNow`: the publication named no
 * time, so that `scoredAt` is now.
 */
export type Publication = {
  readonly id: string;
  readonly scoredAt: Moment;
  readonly isScoredNow: boolean;
  readonly subMarketIds: readonly string[];
  readonly item: FeedItem;
};

/**
 * Checks a publication against the rules that its schema cannot express. Returns all faults at once (D6, D7, D41). A live
 * publication is published now; a backfill keeps the `endpoint_published_at` that it brings.
 */
export function readPublication(
  input: PublicationInput,
  now: Moment,
  mode: PublishMode,
): Publication | Refusal<'invalid_body'> {
  const faults: Fault[] = [];
  const time = ([path, text]: TimeText): Moment => {
    const at = parseMoment(text);
    if (at === undefined) faults.push(invalidTime(path));
    return at ?? now;
  };

  const { source_published_at, endpoint_published_at } = input.news_event;
  const sentAt = time(['/news_event/endpoint_published_at', endpoint_published_at ?? now]);
  const news_event: NewsEvent = {
    ...input.news_event,
    source_published_at: time(['/news_event/source_published_at', source_published_at]),
    endpoint_published_at: mode === 'live' ? now : sentAt,
  };
  const scoredTimes = scoredTimesOf(input);
  const [first = now, ...others] = scoredTimes.map(time);
  const scoredAt = latest(first, ...others);
  if (isFuture(scoredAt, now)) faults.push(SCORED_IN_FUTURE);
  faults.push(...repeatedSubMarkets(input));
  if (faults.length > 0) return { refused: 'invalid_body', faults };

  const related_markets = input.related_markets.map((market) => ({
    ...market,
    sub_markets: market.sub_markets.map(({ scored_at: _, ...sub }) => sub),
  }));
  const subMarketIds = related_markets.flatMap(({ sub_markets }) =>
    sub_markets.map((sub) => sub.sub_market_id),
  );
  const item = { news_event, related_markets, meta: META };
  return { id: news_event.id, scoredAt, isScoredNow: scoredTimes.length === 0, subMarketIds, item };
}

/** The item as the filter `market_id` shows it: only these sub-markets, in their main markets (D9, D48). */
export function withSubMarkets(item: FeedItem, subMarketIds: readonly string[]): FeedItem {
  const related_markets = item.related_markets.flatMap((market) => {
    const sub_markets = market.sub_markets.filter((sub) => subMarketIds.includes(sub.sub_market_id));
    return sub_markets.length > 0 ? [{ ...market, sub_markets }] : [];
  });
  return { ...item, related_markets };
}

/** A time as it was sent, and its JSON pointer. */
type TimeText = readonly [path: string, text: string];

/** Every `scored_at` of a publication: its own and those of its sub-markets (D6). */
const scoredTimesOf = (input: PublicationInput): readonly TimeText[] =>
  [['/scored_at', input.scored_at] as const, ...subMarketsOf(input).map(scoredTimeOf)].flatMap(
    ([path, text]) => (text === undefined ? [] : [[path, text] as const]),
  );

type InputSubMarket = PublicationInput['related_markets'][number]['sub_markets'][number];

const scoredTimeOf = ([path, sub]: readonly [string, InputSubMarket]) =>
  [`${path}/scored_at`, sub.scored_at] as const;

const subMarketsOf = ({ related_markets }: PublicationInput) =>
  related_markets.flatMap(({ sub_markets }, m) =>
    sub_markets.map((sub, s) => [`/related_markets/${m}/sub_markets/${s}`, sub] as const),
  );

function repeatedSubMarkets(input: PublicationInput): readonly Fault[] {
  const seen = new Set<string>();
  return subMarketsOf(input).flatMap(([path, { sub_market_id }]) => {
    if (seen.has(sub_market_id)) return [repeated(path)];
    seen.add(sub_market_id);
    return [];
  });
}

const repeated = (path: string): Fault => ({
  parameter: `${path}/sub_market_id`,
  code: 'repeated_sub_market',
  message: 'must occur only once in an item',
});

const SCORED_IN_FUTURE: Fault = {
  parameter: '/scored_at',
  code: 'scored_at_in_future',
  message: 'must be at most 5 seconds ahead of the clock of the service',
};

const invalidTime = (parameter: string): Fault => ({
  parameter,
  code: 'invalid_date_time',
  message: 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00.000000Z',
});
