import type { Knex } from 'knex';
import type { ItemOrders } from '../../../application/ports/feed/item-orders.js';
import type { ItemOrder } from '../../../domain/feed/item-order.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Orders in Postgres. The table has the form of `audit`. */
export class PostgresItemOrders implements ItemOrders {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async add(id: string, order: ItemOrder): Promise<void> {
    const entry = JSON.stringify(order);
    await withErrorMapping(async () => this.#db('item_audit').insert({ item_id: id, entry }));
  }

  async of(id: string, count: number): Promise<readonly ItemOrder[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { readonly entry: ItemOrder }[] }>(
        'select entry from item_audit where item_id = ? order by n desc limit ?',
        [id, count],
      ),
    );
    return rows.map(({ entry }) => entry);
  }
}
