import type { Knex } from 'knex';
import type { UnindexedItems } from '../../../application/ports/feed/unindexed-items.js';
import { termsOf } from '../../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import {
  completed,
  ITEM_TERMS,
  itemTermsValues,
  namesOf,
  TERMS,
  type TermRow,
  termValues,
} from './item-terms-writing.js';

type Row = {
  readonly scored_at: Moment;
  readonly json: Buffer;
  readonly sub_market_ids: readonly string[];
};

/** Items in Postgres without terms. They are locked while their terms are written, because an item can be replaced. */
export class PostgresUnindexedItems implements UnindexedItems {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  index(count: number): Promise<number> {
    return withErrorMapping(() => this.#db.transaction((tx) => this.#index(tx, count)));
  }

  async #index(tx: Knex.Transaction, count: number): Promise<number> {
    const { rows } = await unindexedItemsQuery(tx, count);
    const items = rows.map(({ scored_at: scoredAt, json, sub_market_ids: subMarketIds }) => ({
      scoredAt,
      terms: termsOf({ json, subMarketIds }),
    }));
    if (items.length === 0) return 0;
    const names = namesOf(items);
    const terms = await tx.raw<{ rows: readonly NonNullable<TermRow>[] }>(
      `with ${TERMS} select id, name from found`,
      termValues(names),
    );
    const termIds = await completed(tx, names, terms.rows);
    await tx.raw(
      `with ${ITEM_TERMS} update item set has_terms = true where scored_at = any(?::timestamptz[])`,
      [...itemTermsValues(items, termIds), items.map(({ scoredAt }) => scoredAt)],
    );
    return items.length;
  }
}

export const unindexedItemsQuery = (db: Knex, count: number): Knex.Raw<{ readonly rows: readonly Row[] }> =>
  db.raw(
    `select scored_at, json, sub_market_ids from item where has_terms is null
     order by scored_at desc limit ? for update skip locked`,
    [count],
  );
