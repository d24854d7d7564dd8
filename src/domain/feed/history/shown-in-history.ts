import type { SearchableItem } from '../filters/item-terms.js';
import { type Shown, type StreamFilter, sentOf } from '../stream-filter.js';

/** A change of the history. `purged` and `missing`: the body is not stored. */
type StoredHistoryChange<Item> = { readonly id: string } & (
  | { readonly kind: 'published' | 'replaced'; readonly item: Item | 'purged' | 'missing' }
  | { readonly kind: 'retracted' | 'purged' }
);

/** How a change is shown: with its item, whole or narrowed; or without one. Null: it is not shown. */
export type HistoryForm = { readonly shown: Shown | null; readonly isMissing: boolean } | null;

const WITHOUT_ITEM: HistoryForm = { shown: null, isMissing: false };
const MISSING: HistoryForm = { shown: null, isMissing: true };

/** What the history shows of a change: what a stream with this filter sends of it (D49, D61). */
export function shownInHistory<Item extends SearchableItem>(
  filter: StreamFilter,
  change: StoredHistoryChange<Item>,
): HistoryForm {
  if (!('item' in change)) return WITHOUT_ITEM;
  const { id, kind, item } = change;
  if (item === 'missing') return MISSING;
  if (item === 'purged') return WITHOUT_ITEM;
  const sent = sentOf(filter, { kind, id, item });
  if (sent === null) return null;
  return sent.type === 'item' ? { shown: sent.shown, isMissing: false } : WITHOUT_ITEM;
}
