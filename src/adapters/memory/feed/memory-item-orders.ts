import type { ItemOrders } from '../../../application/ports/feed/item-orders.js';
import type { ItemOrder } from '../../../domain/feed/item-order.js';

/** Orders in memory. Operators write them by hand, so their number needs no bound. */
export class MemoryItemOrders implements ItemOrders {
  readonly #orders: { readonly id: string; readonly order: ItemOrder }[] = [];

  async add(id: string, order: ItemOrder): Promise<void> {
    this.#orders.unshift({ id, order });
  }

  async of(id: string, count: number): Promise<readonly ItemOrder[]> {
    const own = this.#orders.filter((one) => one.id === id);
    return own.slice(0, count).map(({ order }) => order);
  }
}
