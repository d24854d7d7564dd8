import type { FeedItem } from '../feed-item.js';

/** A field that differs between two versions of an item. Null: the version does not have it, or has null. */
export type Difference = {
  /** `news_event.headline`; of a market with its id, for example `markets.m-1.sub_markets.sm-1.market_snapshot.yes_ask`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
};

/** A value, and the market or sub-market that it belongs to. */
type Leaf = { readonly value: unknown; readonly market: string | null };
type Leaves = Map<string, Leaf>;

/** The value of a market or a sub-market as such. */
const PRESENT = 'present';

/** The fields that a publisher changed, in the order of the later version; then those that it no longer has. Markets are compared by their ids. */
export function versionDifferences(before: FeedItem, after: FeedItem): readonly Difference[] {
  const [earlier, later] = [leavesOf(before), leavesOf(after)];
  const isInBoth = (name: string | null) => name === null || (earlier.has(name) && later.has(name));
  return (
    [...new Map([...later, ...earlier])]
      // Of a market that only one version has, the fields say nothing more.
      .filter(([, { market }]) => isInBoth(market))
      .map(([field]) => ({
        field,
        before: earlier.get(field)?.value ?? null,
        after: later.get(field)?.value ?? null,
      }))
      .filter((difference) => JSON.stringify(difference.before) !== JSON.stringify(difference.after))
  );
}

function leavesOf({ news_event, related_markets }: FeedItem): Leaves {
  const leaves: Leaves = new Map();
  // It is the time of the first version. Versions from before that rule (D41) differ in it without a correction.
  const { endpoint_published_at: _, ...published } = news_event;
  addLeaves(leaves, null, 'news_event', published);
  for (const { main_market, market_relationship, sub_markets } of related_markets) {
    const name = `markets.${main_market.market_id}`;
    leaves.set(name, { value: PRESENT, market: null });
    addLeaves(leaves, name, name, { main_market, market_relationship });
    for (const sub of sub_markets) {
      const subName = `${name}.sub_markets.${sub.sub_market_id}`;
      leaves.set(subName, { value: PRESENT, market: name });
      addLeaves(leaves, subName, subName, sub);
    }
  }
  return leaves;
}

/** The values of an object without its nesting. A list is one value. */
function addLeaves(leaves: Leaves, market: string | null, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    leaves.set(name, { value, market });
    return;
  }
  for (const [key, inner] of Object.entries(value)) addLeaves(leaves, market, `${name}.${key}`, inner);
}
