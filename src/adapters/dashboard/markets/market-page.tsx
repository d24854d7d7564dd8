import type { ComponentChildren } from 'preact';
import type { MarketRow } from '../../../domain/feed/markets/market-row.js';
import { moveOf, type PricePoint, type TimedItem } from '../../../domain/feed/markets/price-line.js';
import type { Moment } from '../../../domain/moment.js';
import { feedPathFor } from '../feed/feed-address.js';
import { FeedCard } from '../feed/feed-card.js';
import { ExternalLink } from '../page/external-link.js';
import { Layout } from '../page/layout.js';
import { At } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { Asks } from './asks.js';
import { FollowSamples } from './follow-samples.js';
import { type ItemOrder, MARKETS_PATH, marketPath } from './market-paths.js';
import { MarketSearch } from './market-search.js';
import { MarketTable, titleOf } from './markets-page.js';
import { PriceChart } from './price-chart.js';
import { signed } from './price-text.js';

type Common = { readonly viewer: Viewer; readonly row: MarketRow; readonly demo: ComponentChildren };

type SubMarketProps = Common & {
  /** The main market that this one belongs to; null if the directory has none. */
  readonly main: MarketRow | null;
  /** The items on this page, newest first. */
  readonly items: readonly TimedItem[];
  readonly points: readonly PricePoint[];
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly order: ItemOrder;
  readonly now: Moment;
  /** The address of the API. */
  readonly url: string;
};

/** A sub-market: its price at each item, its news, and how to follow it. */
export const SubMarketPage = (props: SubMarketProps) => {
  const { viewer, row, main, items, points, nextCursor, url, demo } = props;
  const { facts } = row;
  return (
    <Layout
      title={titleOf(row)}
      viewer={viewer}
      activePath={MARKETS_PATH}
      modules={['copy.js', 'market-suggestions.js']}
      demo={demo}
    >
      <p class="quiet">
        Sub-market
        {main !== null && (
          <>
            {' of '}
            <a href={marketPath(main.facts)}>{titleOf(main)}</a>
          </>
        )}
        {' · '}
        <ExternalLink href={facts.url}>{`Open at ${facts.venue ?? 'its venue'}`}</ExternalLink> · ID{' '}
        <code>{facts.marketId}</code>
      </p>
      <LastPrice row={row} points={points} />
      <PriceChart points={points} />
      <h2>News</h2>
      {items.length === 0 ? (
        <p>No items here. Newer ones may have been published meanwhile.</p>
      ) : (
        <News {...props} />
      )}
      {nextCursor !== null && (
        <p>
          <a class="button plain" href={marketPath(facts, { cursor: nextCursor, order: props.order })}>
            Older news
          </a>
        </p>
      )}
      <FollowSamples url={url} marketId={facts.marketId} />
      <MarketSearch text="" />
    </Layout>
  );
};

const LastPrice = ({ row, points }: { readonly row: MarketRow; readonly points: readonly PricePoint[] }) => {
  const { snapshot } = row.facts;
  const move = moveOf(points);
  if (snapshot === null) return null;
  return (
    <p class="prices">
      <Asks snapshot={snapshot} />
      {move !== null && (
        <span>
          Over the items below <b>{signed(move)} percentage points</b>
        </span>
      )}
      <span>24h volume {Math.round(snapshot.volume_24h).toLocaleString('en-US')}</span>
      <span>
        As of <At at={row.lastNewsAt} />
      </span>
    </p>
  );
};

/** The items as cards, numbered as the dots of the chart: the oldest one is 1. */
const News = ({ row: { facts }, items, points, cursor, order, now }: SubMarketProps) => {
  const numbers = new Map(points.map(({ at }, i) => [at, i + 1]));
  const other = order === 'newest' ? 'oldest' : 'newest';
  return (
    <>
      <p class="actions">
        <a href={marketPath(facts, { cursor, order: other })}>Show the {other} first</a>
        <a href={feedPathFor({ market: facts.marketId })}>Open in the feed, live</a>
      </p>
      {(order === 'newest' ? items : items.toReversed()).map(({ scoredAt, item }) => (
        <FeedCard key={scoredAt} item={item} now={now} number={numbers.get(scoredAt) ?? null} />
      ))}
    </>
  );
};

type MainMarketProps = Common & {
  readonly now: Moment;
  readonly subMarkets: readonly MarketRow[];
  /** Whether there are more sub-markets. */
  readonly hasMore: boolean;
};

/** A main market with its sub-markets, those with the newest items first. */
export const MainMarketPage = ({ viewer, row, subMarkets, hasMore, now, demo }: MainMarketProps) => (
  <Layout
    title={titleOf(row)}
    viewer={viewer}
    activePath={MARKETS_PATH}
    modules={['market-suggestions.js']}
    demo={demo}
  >
    <p class="quiet">
      Main market ·{' '}
      <ExternalLink href={row.facts.url}>{`Open at ${row.facts.venue ?? 'its venue'}`}</ExternalLink> · ID{' '}
      <code>{row.facts.marketId}</code>
    </p>
    <MarketTable rows={subMarkets} caption="Sub-markets with the newest items" now={now} />
    {hasMore && (
      <p class="quiet">
        There are more sub-markets. The API lists all of them, by <code>main_market_id</code>.
      </p>
    )}
    <MarketSearch text="" />
  </Layout>
);
