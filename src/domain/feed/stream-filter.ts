/** What a stream shows (D48). Null: no filter by sub-market. */
export type StreamFilter = { readonly marketIds: ReadonlySet<string> | null };

export const NO_FILTER: StreamFilter = { marketIds: null };

/** The most sub-markets of one filter (D48). */
export const FILTER_MARKETS_MAX = 50;

/** How a filter shows an item: whole, or narrowed to some of its sub-markets. */
export type Shown = 'whole' | readonly string[];

/** A change of the feed, without its position. `item`: the item after the change. */
export type ShownChange<Item> =
  | { readonly kind: 'published' | 'replaced'; readonly id: string; readonly item: Item }
  | { readonly kind: 'retracted'; readonly id: string };

/** Null if the item does not pass the filter. */
export function shownBy(
  { marketIds }: StreamFilter,
  { subMarketIds }: { readonly subMarketIds: readonly string[] },
): Shown | null {
  if (marketIds === null) return 'whole';
  const shown = subMarketIds.filter((id) => marketIds.has(id));
  return shown.length > 0 ? shown : null;
}

/** What a stream sends of a change: the item, its retraction, or nothing (null). */
export type Sent = { readonly type: 'item'; readonly shown: Shown } | { readonly type: 'retraction' } | null;

const RETRACTION: Sent = { type: 'retraction' };
const WHOLE: Sent = { type: 'item', shown: 'whole' };

/**
 * What a filter passes of a change (D49). The client may hold the item from before: therefore every stream gets every
 * retraction, and a replacement that does not pass is a retraction.
 */
export function sentOf<Item extends { readonly subMarketIds: readonly string[] }>(
  filter: StreamFilter,
  change: ShownChange<Item>,
): Sent {
  if (change.kind === 'retracted') return RETRACTION;
  const shown = shownBy(filter, change.item);
  if (shown === null) return change.kind === 'replaced' ? RETRACTION : null;
  return shown === 'whole' ? WHOLE : { type: 'item', shown };
}
