import type { SubMarket } from '../../domain/feed/feed-item.js';
import type { Stored, StoredItem } from '../../domain/feed/stored-item.js';
import { linkOf, oneLine } from './publisher-text.js';

/** Longer links are rare, and a message of 2,000 characters has no room for them. */
const LINK_MAX = 500;

/** The content of an item that a message to people shows: texts without markup, each in one line. */
export type ItemSummary = {
  readonly headline: string;
  readonly source: string;
  readonly context: string;
  readonly sourceLink: string | null;
  /** The first sub-markets. */
  readonly markets: readonly MarketSummary[];
  /** `and 2 more markets`; empty if all are among them. */
  readonly further: string;
};

export type MarketSummary = {
  readonly title: string;
  readonly link: string | null;
  /** Follows the title: ` – Yes 43.0¢, +2.5 pp before the news, supports Yes`; empty if none is known. */
  readonly facts: string;
};

export function summaryOf({ news_event, related_markets }: StoredItem, marketsMax: number): ItemSummary {
  const subs = (related_markets ?? []).flatMap(({ sub_markets }) => sub_markets ?? []);
  return {
    headline: oneLine(news_event?.headline) || oneLine(news_event?.id) || 'A news event',
    source: oneLine(news_event?.source_name),
    context: oneLine(news_event?.short_context),
    sourceLink: linkOf(news_event?.source_news_url, LINK_MAX),
    markets: subs.slice(0, marketsMax).map(marketOf),
    further: furtherText(subs.length - marketsMax),
  };
}

const furtherText = (count: number): string =>
  count > 0 ? `and ${count} more ${count === 1 ? 'market' : 'markets'}` : '';

function marketOf(sub: Stored<SubMarket>): MarketSummary {
  const facts = [
    priceOf(sub.market_snapshot?.yes_ask),
    moveOf(sub.momentum?.pre_move_pp),
    effectOf(sub.news_effect),
  ].filter((fact) => fact !== '');
  return {
    title: oneLine(sub.sub_market_title) || oneLine(sub.sub_market_id) || 'A market',
    link: linkOf(sub.market_url, LINK_MAX),
    facts: facts.length === 0 ? '' : ` – ${facts.join(', ')}`,
  };
}

const priceOf = (yes: number | undefined): string =>
  yes === undefined ? '' : `Yes ${(100 * yes).toFixed(1)}¢`;

const moveOf = (points: number | undefined): string =>
  points === undefined
    ? ''
    : `${points > 0 ? '+' : ''}${points.toFixed(1)} pp before the news`.replace('-', '−');

function effectOf(effect: Stored<SubMarket['news_effect']> | undefined): string {
  const codes = [effect?.effect, effect?.affected_outcome].map((code) => oneLine(code).replaceAll('_', ' '));
  return codes
    .join(' ')
    .replace(/\bYES$/, 'Yes')
    .replace(/\bNO$/, 'No')
    .trim();
}
