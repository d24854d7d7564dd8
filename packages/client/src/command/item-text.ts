import type { FeedItem, HistoryChange, Market, OwnKey, StreamItem, StreamRetraction, Usage } from '../api.js';
import type { Column, Row } from './table.js';

/** `2026-11-28 10:46:12`, in UTC. */
export const timeText = (time: string | null): string => time?.slice(0, 19).replace('T', ' ') ?? '';

/** The effect on the first market of an item, its ask, and how many others there are: `supports YES 0.44 (+2)`. */
export function effectText({ related_markets }: FeedItem): string {
  const [first, ...others] = related_markets.flatMap(({ sub_markets }) => sub_markets);
  if (first === undefined) return '';
  const { effect, affected_outcome: outcome } = first.news_effect;
  const { yes_ask, no_ask } = first.market_snapshot;
  const ask = outcome === 'YES' ? yes_ask : outcome === 'NO' ? no_ask : '';
  return `${effect} ${outcome} ${ask}${others.length === 0 ? '' : ` (+${others.length})`}`;
}

export const ITEM_COLUMNS: readonly Column[] = [
  { title: 'published' },
  { title: 'id' },
  { title: 'relevance' },
  { title: 'effect' },
  { title: 'headline', isLong: true },
];

export const itemRow = (item: FeedItem): Row => {
  const { id, headline, endpoint_published_at, aggregate_event_relevance } = item.news_event;
  return [timeText(endpoint_published_at), id, aggregate_event_relevance.bucket, effectText(item), headline];
};

export const MARKET_COLUMNS: readonly Column[] = [
  { title: 'id' },
  { title: 'kind' },
  { title: 'yes' },
  { title: 'items' },
  { title: 'newest' },
  { title: 'title', isLong: true },
];

export const marketRow = (market: Market): Row => [
  market.market_id,
  market.kind,
  String(market.last_snapshot?.yes_ask ?? ''),
  String(market.news_count),
  timeText(market.last_news_at),
  market.market_title,
];

export const USAGE_COLUMNS: readonly Column[] = [
  { title: 'limit', isLong: true },
  { title: 'quota' },
  { title: 'used' },
  { title: 'remaining' },
  { title: 'resets at' },
];

export const usageRows = ({ limits }: Usage): readonly Row[] =>
  limits.map(({ name, quota, used, remaining, resets_at }) => [
    name,
    String(quota),
    String(used),
    String(remaining),
    timeText(resets_at),
  ]);

export const KEY_COLUMNS: readonly Column[] = [{ title: 'setting' }, { title: 'value', isLong: true }];

/** The settings of a key. The service never sends the key itself. */
export const keyRows = (key: OwnKey): readonly Row[] =>
  Object.entries(key).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : String(value ?? ''),
  ]);

/** A change of the stream in one line: `+` for an item, `-` for a retraction. */
export const changeText = (message: StreamItem | StreamRetraction): string =>
  message.type === 'retraction'
    ? `${timeText(message.known_at)}  -  ${message.id}`
    : `${timeText(message.known_at)}  +  ${itemText(message.item)}`;

export const historyText = ({ known_at, kind, id, item }: HistoryChange): string =>
  `${timeText(known_at)}  ${kind.padEnd(9)}  ${item === null ? id : itemText(item)}`;

const itemText = (item: FeedItem): string => {
  const { id, headline } = item.news_event;
  return [id, effectText(item), headline].filter((text) => text !== '').join('  ');
};
