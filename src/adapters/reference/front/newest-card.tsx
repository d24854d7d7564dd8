import { renderToString } from 'preact-render-to-string';
import { type FeedItem, withSubMarkets } from '../../../domain/feed/feed-item.js';
import type { PricePoint } from '../../../domain/feed/markets/price-line.js';
import { between, type Moment, parseMoment, SECOND } from '../../../domain/moment.js';
import { FeedCard } from '../../dashboard/feed/feed-card.js';
import { PriceChart } from '../../dashboard/markets/price-chart.js';
import { agoText } from '../../dashboard/page/moment.js';
import { exampleItem } from '../../http/openapi/examples/example-item.js';
import type { Newest } from './newest-item.js';

const publishedAt = ({ news_event: { endpoint_published_at: at } }: FeedItem): Moment | null =>
  parseMoment(at) ?? null;

/** What the card shows of the time. Two cards of an item with the same text are the same. */
export function ageText({ item, at }: Newest): string {
  const published = publishedAt(item);
  return published === null ? '' : agoText(published, at);
}

type CardProps = {
  readonly item: FeedItem;
  readonly now: Moment;
  readonly points: readonly PricePoint[];
  readonly label: string;
  /** Whether the stories of this feed are invented. */
  readonly isInvented: boolean;
  /** The age of the item in seconds, which a script counts up; null for an item that is not of the feed. */
  readonly age: number | null;
};

/** Fewer are no path. */
const POINTS_MIN = 3;

/** The card of the feed with the price of its first market. */
const Card = ({ item, now, points, label, isInvented, age }: CardProps) => (
  <div data-item={item.news_event.id} data-age={age ?? undefined}>
    <p class="newest-label">
      {age !== null && <span class="live-dot" aria-hidden="true" />}
      {label}
      {isInvented && <span class="badge info">Invented stories</span>}
    </p>
    <FeedCard item={item} now={now} />
    {points.length >= POINTS_MIN && <PriceChart points={points} hasCards={false} />}
    <p class="quiet note">Effect, relevance and rationale are scored by the publisher.</p>
  </div>
);

export function newestCard({ item, points, at }: Newest, isInvented: boolean): string {
  const published = publishedAt(item);
  const age = published === null ? null : Math.max(0, Math.floor(between(published, at) / SECOND));
  const label = 'The newest item';
  const shown = isInvented ? item : withoutOthers(item);
  return renderToString(<Card {...{ item: shown, points, label, isInvented, age }} now={at} />);
}

/** Customers pay for the feed: others see the first question of an item. */
function withoutOthers(item: FeedItem): FeedItem {
  const [first] = item.related_markets[0]?.sub_markets ?? [];
  return withSubMarkets(item, first === undefined ? [] : [first.sub_market_id]);
}

/** Links to pages of markets: the feed need not have those of the sample. */
const MARKET_LINKS = /<a href="\/dashboard\/[^"]*">(.*?)<\/a>/g;

/** A story that never changes. It has no time: it would be that of the last start. */
export function sampleCard(): string {
  const { news_event, ...others } = exampleItem();
  const now = parseMoment(news_event.endpoint_published_at);
  if (now === undefined) throw new Error('the example has no valid time');
  const item = { ...others, news_event: { ...news_event, endpoint_published_at: '' } };
  const card = (
    <Card item={item} now={now} points={[]} label="An invented example" isInvented={false} age={null} />
  );
  return renderToString(card).replaceAll(MARKET_LINKS, '$1');
}
