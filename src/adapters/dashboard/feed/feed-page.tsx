import type { ComponentChildren } from 'preact';
import type { FeedItem, RelatedMarket, SubMarket } from '../../../domain/feed/feed-item.js';
import type { Limit } from '../../../domain/limits/rate-limit.js';
import { type Moment, parseMoment } from '../../../domain/moment.js';
import { newDestinationPath } from '../destinations/destination-page.js';
import { Asks } from '../markets/asks.js';
import { marketPath } from '../markets/market-paths.js';
import { MarketSearch } from '../markets/market-search.js';
import { signed } from '../markets/price-text.js';
import { ExternalLink } from '../page/external-link.js';
import { Layout } from '../page/layout.js';
import { AtOr } from '../page/moment.js';
import { Notice } from '../page/notice.js';
import type { Viewer } from '../state.js';
import { codeText, inlineText, outcomeText, tierText, windowText } from './code-text.js';

/** Limits per item, so that a page stays small. Few items have more. */
const MARKETS_SHOWN = 5;
const SUB_MARKETS_SHOWN = 10;

type FeedProps = {
  readonly viewer: Viewer;
  readonly items: readonly FeedItem[];
  /** What remains of the limits after this page view. */
  readonly limits: readonly Limit[];
  readonly marketId: string | null;
  readonly nextCursor: Moment | null;
  /** A command that requests the same items from the API. */
  readonly curl: string;
  /** Why the address does not lead to the page that it names. */
  readonly warning: string | null;
  readonly demo: ComponentChildren;
};

export const FeedView = ({ viewer, items, limits, marketId, nextCursor, curl, warning, demo }: FeedProps) => (
  <Layout
    title="Feed"
    viewer={viewer}
    activePath="/dashboard/feed"
    modules={['copy.js', 'market-suggestions.js']}
    demo={demo}
  >
    {warning !== null && (
      <Notice kind="warning">
        <p>{warning}</p>
      </Notice>
    )}
    <p class="quiet">
      Each page view counts as one request. Requests left: {limits.map(remainingText).join(', ')}.
    </p>
    <MarketSearch text="" />
    {marketId !== null && (
      <p>
        Only items of the sub-market{' '}
        <a href={marketPath({ kind: 'sub', marketId })}>
          <code>{marketId}</code>
        </a>
        . <a href="/dashboard/feed">Show all items</a> ·{' '}
        <a href={newDestinationPath({ market_id: marketId })}>Destination for this</a>
      </p>
    )}
    <details>
      <summary>Show as curl command</summary>
      <div class="copyable">
        <code id="curl">{curl}</code>
        <button type="button" data-copies="curl" hidden>
          Copy curl command
        </button>
      </div>
    </details>
    {items.length === 0 && <p>No items{marketId === null ? ' yet' : ' for this sub-market'}.</p>}
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

const remainingText = ({ policy, remaining }: Limit): string =>
  `${remaining.toLocaleString('en-US')} of ${policy.quota.toLocaleString('en-US')} ${windowText(policy.name)}`;

/** The address of a page of the feed. */
function feedPath(marketId: string | null, cursor: string | null): string {
  const query = new URLSearchParams({
    ...(marketId !== null && { market: marketId }),
    ...(cursor !== null && { cursor }),
  });
  return query.size === 0 ? '/dashboard/feed' : `/dashboard/feed?${query}`;
}

const Item = ({ item: { news_event: event, related_markets: markets } }: { readonly item: FeedItem }) => (
  <article class="item">
    <h2>
      <ExternalLink href={event.source_news_url}>{shortened(event.headline)}</ExternalLink>
    </h2>
    <p class="quiet">
      <ExternalLink href={event.source_url}>{event.source_name}</ExternalLink> ({tierText(event.source_tier)}
      {event.author !== null && `, ${event.author}`}) ·{' '}
      <AtOr at={parseMoment(event.endpoint_published_at) ?? null} none="" /> ·{' '}
      {codeText(event.aggregate_event_relevance.bucket)} relevance
      {event.feed_categories.length > 0 && ` · ${event.feed_categories.map(codeText).join(', ')}`}
    </p>
    <p>{shortened(event.short_context)}</p>
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
      <ExternalLink href={main_market.market_url}>{main_market.market_title}</ExternalLink>
    </h3>
    <p class="quiet">
      {codeText(market_relationship.bucket)} relevance: {shortened(market_relationship.summary)}
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
        <ExternalLink href={sub.market_url}>{sub.sub_market_title}</ExternalLink>
      </p>
      <p class="prices">
        <Asks snapshot={snapshot} />
        <span>
          Move before the news <b>{signed(momentum.pre_move_pp)} percentage points</b> (momentum criteria{' '}
          {momentum.passed ? 'met' : 'not met'})
        </span>
        <span>24h volume {Math.round(snapshot.volume_24h).toLocaleString('en-US')}</span>
        <a href={marketPath({ kind: 'sub', marketId: sub.sub_market_id })}>
          News and price<span class="hidden"> of {sub.sub_market_title}</span>
        </a>
      </p>
      <p>
        Effect on {outcomeText(effect.affected_outcome)}: {inlineText(effect.effect)} (
        {inlineText(effect.relevance_bucket)} relevance). {shortened(effect.rationale)}
      </p>
    </li>
  );
};

/** Longer texts of publishers are cut; the API returns them in full. */
const TEXT_SHOWN = 600;

const shortened = (text: string): string =>
  text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}…` : text;

const More = ({ count, of }: { readonly count: number; readonly of: string }) =>
  count > 0 ? (
    <p class="quiet">
      {count} more {of}. The API returns all of them.
    </p>
  ) : null;
