import type { ComponentChildren } from 'preact';
import { marketKey } from '../../../domain/feed/markets/market-facts.js';
import { marketGroups } from '../../../domain/feed/markets/market-groups.js';
import type { MarketRow } from '../../../domain/feed/markets/market-row.js';
import type { Moment } from '../../../domain/moment.js';
import { CardTable, Cell, type Column } from '../page/card-table.js';
import { Layout } from '../page/layout.js';
import { Ago } from '../page/moment.js';
import type { Viewer } from '../state.js';
import { MARKETS_PATH, marketPath } from './market-paths.js';
import { MarketSearch } from './market-search.js';
import { cents } from './price-text.js';

type Props = {
  readonly viewer: Viewer;
  /** What was searched for; empty for all markets. */
  readonly text: string;
  readonly rows: readonly MarketRow[];
  /** The path of the next page. */
  readonly next: string | null;
  readonly now: Moment;
  readonly demo: ComponentChildren;
};

const YES: Column = { label: 'Yes ask', isNumber: true };
const ITEMS: Column = { label: 'Items', isNumber: true };

export const MarketsPage = ({ viewer, text, rows, next, now, demo }: Props) => (
  <Layout
    title="Markets"
    viewer={viewer}
    activePath={MARKETS_PATH}
    modules={['market-suggestions.js']}
    demo={demo}
  >
    <MarketSearch text={text} />
    {rows.length === 0 ? (
      <p>
        {text === ''
          ? 'No item of the feed names a market yet.'
          : 'No market of the feed matches. Try fewer words, or the link of the market at its venue.'}
      </p>
    ) : (
      <MarketTable
        rows={rows}
        caption={text === '' ? 'Markets with the newest items' : 'Markets found'}
        now={now}
      />
    )}
    {next !== null && (
      <p>
        <a class="button" href={next}>
          More markets
        </a>
      </p>
    )}
    <p class="quiet">Each page view counts as one request. Suggestions do not count.</p>
  </Layout>
);

export const titleOf = ({ facts: { title, marketId } }: Pick<MarketRow, 'facts'>): string =>
  title === '' ? marketId : title;

/** A main market and its sub-markets are one group of rows where both are listed. */
export const MarketTable = ({
  rows,
  caption,
  now,
}: {
  readonly rows: readonly MarketRow[];
  readonly caption: string;
  readonly now: Moment;
}) => (
  <CardTable
    caption={caption}
    columns={['Market', 'Venue', YES, ITEMS, 'Last item']}
    variant="markets"
    hasGroups={true}
  >
    {marketGroups(rows).map(({ row, subMarkets }) => (
      <tbody key={marketKey(row.facts)}>
        <Row row={row} now={now} scope={subMarkets.length > 0 ? 'rowgroup' : 'row'} />
        {subMarkets.map((sub) => (
          <Row key={marketKey(sub.facts)} row={sub} now={now} scope="row" />
        ))}
      </tbody>
    ))}
  </CardTable>
);

const Row = ({
  row: { facts, lastNewsAt, newsCount },
  now,
  scope,
}: {
  readonly row: MarketRow;
  readonly now: Moment;
  readonly scope: 'row' | 'rowgroup';
}) => (
  <tr>
    <th scope={scope}>
      <a href={marketPath(facts)}>{titleOf({ facts })}</a>
    </th>
    <Cell of="Venue">{facts.venue ?? '–'}</Cell>
    <Cell of={YES}>{facts.snapshot === null ? '–' : cents(facts.snapshot.yes_ask)}</Cell>
    <Cell of={ITEMS}>{newsCount.toLocaleString('en-US')}</Cell>
    <Cell of="Last item">
      <Ago at={lastNewsAt} now={now} none="–" />
    </Cell>
  </tr>
);
