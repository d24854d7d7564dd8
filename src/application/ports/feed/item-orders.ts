import type { ItemOrder } from '../../../domain/feed/item-order.js';

/**
 * The audit log of items: what operators ordered, and why (D127). The change log of the feed has what became of it.
 *
 * What every adapter guarantees:
 * - a returned entry is stored, and is never changed or removed;
 * - a reader that starts later finds it, on any instance;
 * - a store that cannot answer in time throws `Unavailable`.
 */
export interface ItemOrders {
  add(id: string, order: ItemOrder): Promise<void>;
  /** Those of an item, the newest first, at most `count`. */
  of(id: string, count: number): Promise<readonly ItemOrder[]>;
}
