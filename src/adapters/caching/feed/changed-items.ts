import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { ListedItem, NumberedItem } from '../../../application/ports/feed/feed-store.js';

type Publishing = Extract<FeedChange, { readonly kind: 'published' | 'replaced' }>;

/** Items that were read for some changes of the feed. */
export class ChangedItems {
  readonly #items = new Map<string, NumberedItem>();

  add(items: readonly NumberedItem[]): void {
    for (const item of items) this.#items.set(item.id, item);
  }

  /** The item that a change published; null if it was not read, or has changed again. */
  of({ id, position, scoredAt }: Publishing): ListedItem | null {
    const item = this.#items.get(id);
    if (item === undefined) return null;
    const { n, ...listed } = item;
    const isLast = n === 0 ? item.scoredAt === scoredAt : n === position.n;
    return isLast ? listed : null;
  }

  /** The changes with their items. */
  with(changes: readonly FeedChange[]): readonly StoredChange[] {
    return changes.map((change) =>
      change.kind === 'retracted' || change.kind === 'raised' ? change : { ...change, item: this.of(change) },
    );
  }
}

/** The last change of each item, without the items that it retracted. */
export function lastPublished(changes: readonly FeedChange[]): readonly Publishing[] {
  const last = new Map<string, Publishing>();
  for (const change of changes) {
    if (change.kind === 'published' || change.kind === 'replaced') last.set(change.id, change);
    else if (change.kind === 'retracted') last.delete(change.id);
  }
  return [...last.values()];
}
