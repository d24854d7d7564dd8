import type { ComponentChildren } from 'preact';
import type { FeedItem, RelatedMarket, SubMarket } from '../../../domain/feed/feed-item.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { Layout, type Viewer } from '../page/layout.js';
import { AtOr } from '../page/moment.js';

/** Of an item, so that a page stays small; nearly none has more. */
const MARKETS_SHOWN = 5;
const SUB_MARKETS_SHOWN = 10;

type FeedProps = {
  readonly viewer: Viewer;
  readonly items: readonly FeedItem[];
  /** What is left of the limits once this page has taken its part. */
  readonly limits: readonly Limit[];
  readonly marketId: string | null;
  readonly nextCursor: Moment | null;
  /** The same page as a request to the API. */
  readonly curl: string;
  /** What was wrong with the address. */
  readonly fault: string | null;
  readonly demo: ComponentChildren;
};

export const FeedView = ({ viewer, items, limits, marketId, nextCursor, curl, fault, demo }: FeedProps) => (
  <Layout title="Feed" viewer={viewer} activePath="/dashboard/feed" modules={['copy.js']} demo={demo}>
    <p class="quiet">
      Each page counts as one request against your limits: {limits.map(leftText).join(', ')}.
    </p>
    <form method="get" action="/dashboard/feed" class="inline">
      <label for="market">Market</label>
      <input
        id="market"
        name="market"
        value={marketId ?? ''}
        placeholder="the id of a sub-market"
        autocomplete="off"
        aria-invalid={fault === null ? undefined : 'true'}
        aria-describedby={fault === null ? undefined : 'fault'}
      />
      <button type="submit">Filter</button>
      {marketId !== null && <a href="/dashboard/feed">All markets</a>}
    </form>
    {fault !== null && (
      <p id="fault" class="fault">
        {fault}
      </p>
    )}
    <details>
      <summary>This page as curl</summary>
      <div class="copyable">
        <code id="curl">{curl}</code>
        <button type="button" data-copies="curl" hidden>
          Copy as curl
        </button>
      </div>
    </details>
    {items.length === 0 && <p>There is nothing here{marketId === null ? ' yet' : ' about this market'}.</p>}
    {items.map((item) => (
      <Item key={item.news_event.id} item={item} />
    ))}
    {nextCursor !== null && (
      <p>
        <a class="button" href={feedPath(marketId, nextCursor)}>
          Older items
        </a>
      </p>
    )}
  </Layout>
);

const leftText = ({ policy, remaining }: Limit): string =>
  `${remaining.toLocaleString('en-US')} of ${policy.quota.toLocaleString('en-US')} left this ${policy.name}`;

/** The address of a page of the feed. */
export function feedPath(marketId: string | null, cursor: string | null): string {
  const query = new URLSearchParams({
    ...(marketId !== null && { market: marketId }),
    ...(cursor !== null && { cursor }),
  });
  return query.size === 0 ? '/dashboard/feed' : `/dashboard/feed?${query}`;
}

const Item = ({ item: { news_event: event, related_markets: markets } }: { readonly item: FeedItem }) => (
  <article class="item">
    <h2>
      <Out href={event.source_news_url}>{shown(event.headline)}</Out>
    </h2>
    <p class="quiet">
      <Out href={event.source_url}>{event.source_name}</Out> ({event.source_tier}
      {event.author !== null && `, ${event.author}`}) ·{' '}
      <AtOr at={parseMoment(event.endpoint_published_at) ?? null} none="" /> · relevance{' '}
      {event.aggregate_event_relevance.bucket}
      {event.feed_categories.length > 0 && ` · ${event.feed_categories.join(', ')}`}
    </p>
    <p>{shown(event.short_context)}</p>
    {markets.slice(0, MARKETS_SHOWN).map((market) => (
      <Market key={market.main_market.market_id} market={market} />
    ))}
    <More count={markets.length - MARKETS_SHOWN} of="markets" />
  </article>
);

const Market = ({
  market: { main_market, market_relationship, sub_markets },
}: {
  readonly market: RelatedMarket;
}) => (
  <div class="market">
    <h3>
      <Out href={main_market.market_url}>{main_market.market_title}</Out>
    </h3>
    <p class="quiet">
      {market_relationship.bucket}: {shown(market_relationship.summary)}
    </p>
    <ul class="sub-markets">
      {sub_markets.slice(0, SUB_MARKETS_SHOWN).map((sub) => (
        <SubMarketEntry key={sub.sub_market_id} sub={sub} />
      ))}
    </ul>
    <More count={sub_markets.length - SUB_MARKETS_SHOWN} of="sub-markets" />
  </div>
);

const SubMarketEntry = ({ sub }: { readonly sub: SubMarket }) => {
  const { market_snapshot: snapshot, momentum, news_effect: effect } = sub;
  return (
    <li>
      <p>
        <Out href={sub.market_url}>{sub.sub_market_title}</Out>
      </p>
      <p class="prices">
        <span>
          Yes <b>{cents(snapshot.yes_ask)}</b>
        </span>
        <span>
          No <b>{cents(snapshot.no_ask)}</b>
        </span>
        <span>
          Momentum <b>{signed(momentum.pre_move_pp)} pp</b>, {momentum.passed ? 'passed' : 'not passed'}
        </span>
        <span>24 h volume {Math.round(snapshot.volume_24h).toLocaleString('en-US')}</span>
        <a href={`/dashboard/feed?${new URLSearchParams({ market: sub.sub_market_id })}`}>
          Only this<span class="hidden"> market: {sub.sub_market_title}</span>
        </a>
      </p>
      <p>
        {effect.effect} {effect.affected_outcome} ({effect.relevance_bucket}): {shown(effect.rationale)}
      </p>
    </li>
  );
};

/** Of what a publisher wrote at length; the API has all of it. */
const TEXT_SHOWN = 600;

const shown = (text: string): string => (text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}…` : text);

const More = ({ count, of }: { readonly count: number; readonly of: string }) =>
  count > 0 ? (
    <p class="quiet">
      And {count} more {of}: the API has all of them.
    </p>
  ) : null;

const cents = (price: number): string => `${(price * 100).toFixed(1)}¢`;
const signed = (points: number): string => `${points > 0 ? '+' : ''}${points.toFixed(1)}`;

/** A way out to an address that a publisher wrote: only to the web, and without a word of where from. */
const Out = ({ href, children }: { readonly href: string | null; readonly children: string }) =>
  href !== null && /^https?:\/\//i.test(href) ? (
    <a href={href} rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );
