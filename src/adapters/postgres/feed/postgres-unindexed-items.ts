import type { Knex } from 'knex';
import type { UnindexedItems } from '../../../application/ports/feed/unindexed-items.js';
import { TERMS as CURRENT, type TermTable } from '../../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import {
  completed,
  type FoundTerms,
  ITEM_TERMS,
  itemTermsValues,
  namesOf,
  TERMS,
  termValues,
} from './item-terms-writing.js';
import { storedTermsOf } from './stored-terms.js';
import { withoutTermsOf } from './terms-versions.js';

type Row = {
  readonly scored_at: Moment;
  readonly json: Buffer;
  readonly sub_market_ids: readonly string[];
};

/** Items in Postgres without terms, or with those of an older version. They are locked while their terms are written, because an item can be replaced. */
export class PostgresUnindexedItems implements UnindexedItems {
  readonly #db: Knex;
  readonly #terms: TermTable;

  constructor(db: Knex, terms: TermTable = CURRENT) {
    this.#db = db;
    this.#terms = terms;
  }

  index(count: number): Promise<number> {
    return withErrorMapping(() => this.#db.transaction((tx) => this.#index(tx, count)));
  }

  async #index(tx: Knex.Transaction, count: number): Promise<number> {
    const { version, listsOf } = this.#terms;
    // First the items that no filter finds. The others lack the newest facets only.
    const { rows: unindexed } = await unindexedItemsQuery(tx, count);
    const left = count - unindexed.length;
    const { rows: older } = left > 0 ? await olderItemsQuery(tx, version, left) : { rows: [] };
    const rows = [...unindexed, ...older];
    const items = rows.map(({ scored_at: scoredAt, json, sub_market_ids: subMarketIds }) => ({
      scoredAt,
      terms: storedTermsOf(listsOf({ json, subMarketIds }), this.#terms),
    }));
    if (items.length === 0) return 0;
    const names = namesOf(items);
    const found = await tx.raw<{ rows: readonly { readonly terms: FoundTerms }[] }>(
      `with ${TERMS} select terms from found`,
      termValues(names),
    );
    const termIds = await completed(tx, names, found.rows[0]?.terms ?? null);
    await tx.raw(
      `with ${ITEM_TERMS} update item set has_terms = true, terms_version = ? where scored_at = any(?::timestamptz[])`,
      [...itemTermsValues(items, termIds), version, items.map(({ scoredAt }) => scoredAt)],
    );
    return items.length;
  }
}

type ItemsQuery = Knex.Raw<{ readonly rows: readonly Row[] }>;

export const unindexedItemsQuery = (db: Knex, count: number): ItemsQuery =>
  db.raw(
    `select scored_at, json, sub_market_ids from item where has_terms is null
     order by scored_at desc limit ? for update skip locked`,
    [count],
  );

/** Items whose terms are those of an older version. */
const olderItemsQuery = (db: Knex, version: number, count: number): ItemsQuery =>
  db.raw(
    `select scored_at, json, sub_market_ids from item where ${withoutTermsOf(version)} and has_terms is not null
     order by scored_at desc limit ? for update skip locked`,
    [count],
  );
