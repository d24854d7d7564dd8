import type { SearchableItem } from '../filters/item-terms.js';
import { type Shown, type StreamFilter, sentOf } from '../stream-filter.js';

/** Bounds of the `limit` parameter: the changes of one page of the history (D61). */
export const HISTORY_LIMIT = { minimum: 1, maximum: 500, default: 100 } as const;

/** One permit is taken for so many changes of the log that are read, at least one. */
export const CHANGES_PER_PERMIT = 500;

/** A page reads at most so many changes, because a filter may pass few of them. */
export const CHANGES_PER_PAGE = 5_000;

/** A page ends after the change with which its items have this many bytes. */
export const PAGE_BYTES = 8_000_000;

/** What a reader of the history asks for: the changes of one id, or of all, as a stream with this filter sends them. */
export type HistoryFilter = StreamFilter & { readonly newsId: string | null };

/** A change of the history. `purged` and `missing`: the body is not stored. */
export type TellableChange<Item> = { readonly id: string } & (
  | { readonly kind: 'published' | 'replaced'; readonly item: Item | 'purged' | 'missing' }
  | { readonly kind: 'retracted' | 'purged' }
);

/** How a change is shown: with its item, whole or narrowed; or without one. Null: it is not shown. */
export type HistoryForm = { readonly shown: Shown | null; readonly isMissing: boolean } | null;

const WITHOUT_ITEM: HistoryForm = { shown: null, isMissing: false };
const MISSING: HistoryForm = { shown: null, isMissing: true };

/** What the history shows of a change: what a stream with this filter sends of it (D49, D61). */
export function shownInHistory<Item extends SearchableItem>(
  filter: HistoryFilter,
  change: TellableChange<Item>,
): HistoryForm {
  if (filter.newsId !== null && change.id !== filter.newsId) return null;
  if (!('item' in change)) return WITHOUT_ITEM;
  const { id, kind, item } = change;
  if (item === 'missing') return MISSING;
  if (item === 'purged') return WITHOUT_ITEM;
  const sent = sentOf(filter, { kind, id, item });
  if (sent === null) return null;
  return sent.type === 'item' ? { shown: sent.shown, isMissing: false } : WITHOUT_ITEM;
}
