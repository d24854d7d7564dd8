import {
  NO_TERMS,
  narrowestOf,
  passes,
  type SearchableItem,
  type Term,
  type TermFilter,
  termsOf,
} from './filters/item-terms.js';

/** What a stream shows (D48, D57). Null: no filter by sub-market. */
export type StreamFilter = { readonly marketIds: ReadonlySet<string> | null; readonly terms: TermFilter };

export const NO_FILTER: StreamFilter = { marketIds: null, terms: NO_TERMS };

/** Whether every item passes whole. */
export const passesAll = ({ marketIds, terms }: StreamFilter): boolean =>
  marketIds === null && terms.length === 0;

/** The most sub-markets of one filter (D48). */
export const FILTER_MARKETS_MAX = 50;

/** How a filter shows an item: whole, or narrowed to some of its sub-markets. */
export type Shown = 'whole' | readonly string[];

/** A change of the feed, without its position. `item`: the item after the change. */
export type ShownChange<Item> =
  | { readonly kind: 'published' | 'replaced'; readonly id: string; readonly item: Item }
  | { readonly kind: 'retracted'; readonly id: string };

/** Null if the item does not pass the filter. `terms` returns the terms of the item; it is called only if they matter. */
export function shownBy(
  { marketIds, terms: required }: StreamFilter,
  item: SearchableItem,
  terms: () => ReadonlySet<Term> = () => termsOf(item),
): Shown | null {
  if (required.length > 0 && !passes(required, terms())) return null;
  if (marketIds === null) return 'whole';
  const shown = item.subMarketIds.filter((id) => marketIds.has(id));
  return shown.length > 0 ? shown : null;
}

/** What an item must have one of to pass a filter, to find the filters of an item; null if every item passes. */
export function keysOf({
  marketIds,
  terms,
}: StreamFilter): { readonly marketIds: ReadonlySet<string> } | { readonly terms: readonly Term[] } | null {
  if (marketIds !== null) return { marketIds };
  const narrowest = narrowestOf(terms);
  return narrowest === null ? null : { terms: narrowest };
}

/** What a stream sends of a change: the item, its retraction, or nothing (null). */
export type Sent = { readonly type: 'item'; readonly shown: Shown } | { readonly type: 'retraction' } | null;

const RETRACTION: Sent = { type: 'retraction' };
const WHOLE: Sent = { type: 'item', shown: 'whole' };

/**
 * What a filter passes of a change (D49). The client may hold the item from before: therefore every stream gets every
 * retraction, and a replacement that does not pass is a retraction.
 */
export function sentOf<Item extends SearchableItem>(
  filter: StreamFilter,
  change: ShownChange<Item>,
  terms?: () => ReadonlySet<Term>,
): Sent {
  if (change.kind === 'retracted') return RETRACTION;
  const shown = shownBy(filter, change.item, terms);
  if (shown === null) return change.kind === 'replaced' ? RETRACTION : null;
  return shown === 'whole' ? WHOLE : { type: 'item', shown };
}
