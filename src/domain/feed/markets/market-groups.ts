import { marketKey } from './market-facts.js';
import type { MarketRow } from './market-row.js';

/** A market of a list, with the listed sub-markets of a main market. */
export type MarketGroup = { readonly row: MarketRow; readonly subMarkets: readonly MarketRow[] };

const headOf = ({ facts: { kind, marketId, mainMarketId } }: MarketRow): string | null =>
  kind === 'main'
    ? marketKey({ kind, marketId })
    : mainMarketId === null
      ? null
      : marketKey({ kind: 'main', marketId: mainMarketId });

/**
 * Groups each main market with its sub-markets where the list has both; any other market is a group of its own. Groups are
 * in the order of their first market, and sub-markets keep their order.
 */
export function marketGroups(rows: readonly MarketRow[]): readonly MarketGroup[] {
  const heads = new Map(
    rows.filter(({ facts }) => facts.kind === 'main').map((row) => [marketKey(row.facts), row]),
  );
  const groups = new Map<string, { row: MarketRow; subMarkets: MarketRow[] }>();
  for (const row of rows) {
    const head = heads.get(headOf(row) ?? '') ?? row;
    const key = marketKey(head.facts);
    const group = groups.get(key) ?? { row: head, subMarkets: [] };
    if (row !== head) group.subMarkets.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}
