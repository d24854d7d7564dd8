import type { ComponentChildren } from 'preact';
import type { MarketRow } from '../../../domain/feed/markets/market-row.js';
import {
  mentionOf,
  moveOf,
  type PricePoint,
  type TimedItem,
} from '../../../domain/feed/markets/price-line.js';
import { inlineText, outcomeText } from '../feed/code-text.js';
import { CardTable, Cell, type Column } from '../page/card-table.js';
import { ExternalLink } from '../page/external-link.js';
import { Layout } from '../page/layout.js';
import { At } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { Asks } from './asks.js';
import { FollowSamples } from './follow-samples.js';
import { MARKETS_PATH, marketPath } from './market-paths.js';
import { MarketSearch } from './market-search.js';
import { MarketTable, titleOf } from './markets-page.js';
import { PriceChart } from './price-chart.js';
import { cents, signed } from './price-text.js';

type Common = { readonly viewer: Viewer; readonly row: MarketRow; readonly demo: ComponentChildren };

type SubMarketProps = Common & {
  /** The main market that this one belongs to; null if the directory has none. */
  readonly main: MarketRow | null;
  /** The items on this page, newest first. */
  readonly items: readonly TimedItem[];
  readonly points: readonly PricePoint[];
  readonly nextCursor: string | null;
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
        <NewsTable marketId={facts.marketId} items={items} />
      )}
      {nextCursor !== null && (
        <p>
          <a class="button" href={marketPath(facts, nextCursor)}>
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

const YES: Column = { label: 'Yes ask', isNumber: true };
const MOVE: Column = { label: 'Move before', isNumber: true };

const NewsTable = ({
  marketId,
  items,
}: {
  readonly marketId: string;
  readonly items: readonly TimedItem[];
}) => (
  <CardTable caption="Newest first" columns={['News', 'Scored at', YES, MOVE, 'Effect']}>
    {items.map(({ scoredAt, item }) => {
      const mention = mentionOf(marketId, item);
      if (mention === undefined) return null;
      const { news_effect: effect, momentum, market_snapshot: snapshot } = mention;
      return (
        <tr key={scoredAt}>
          <th scope="row">
            <ExternalLink href={item.news_event.source_news_url}>{item.news_event.headline}</ExternalLink>
          </th>
          <Cell of="Scored at">
            <At at={scoredAt} />
          </Cell>
          <Cell of={YES}>{cents(snapshot.yes_ask)}</Cell>
          <Cell of={MOVE}>{signed(momentum.pre_move_pp)} pp</Cell>
          <Cell of="Effect">
            {inlineText(effect.effect)} {outcomeText(effect.affected_outcome)}
          </Cell>
        </tr>
      );
    })}
  </CardTable>
);

type MainMarketProps = Common & {
  readonly subMarkets: readonly MarketRow[];
  /** Whether there are more sub-markets. */
  readonly hasMore: boolean;
};

/** A main market with its sub-markets, those with the newest items first. */
export const MainMarketPage = ({ viewer, row, subMarkets, hasMore, demo }: MainMarketProps) => (
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
    <MarketTable rows={subMarkets} caption="Sub-markets with the newest items" />
    {hasMore && (
      <p class="quiet">
        There are more sub-markets. The API lists all of them, by <code>main_market_id</code>.
      </p>
    )}
    <MarketSearch text="" />
  </Layout>
);
