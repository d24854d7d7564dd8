import type { Knex } from 'knex';
import type { ExpiredRows } from '../../application/ports/expired-rows.js';
import type { Moment } from '../../domain/moment.js';
import type { ExpiringTable } from '../../domain/retention.js';
import { withErrorMapping } from './unavailable-database.js';

/**
 * The name of each table, the time from which its rows are kept, and the rows that have such a time. The expressions are
 * those of the indexes, so that a batch reads only the rows that it deletes (`2026-11-27-retention.ts`).
 */
// biome-ignore format: a table is read by its columns
const EXPIRING: Readonly<Record<ExpiringTable, { readonly name: string; readonly time: string; readonly rows: string }>> = {
  one_time_token: { name: 'ticket',        time: 'expires_at',                        rows: 'true' },
  session:        { name: 'session',       time: 'ends_at',                           rows: 'true' },
  usage:          { name: 'usage',         time: 'hour',                              rows: 'true' },
  notice:         { name: 'notice',        time: 'greatest(attempted_at, due_at)',    rows: "state <> 'waiting'" },
  payment_event:  { name: 'payment_event', time: 'coalesce(settled_at, received_at)', rows: "state in ('applied', 'ignored')" },
};

/** Deletes expired rows in Postgres, each batch in one statement, by the indexes of their times. */
export class PostgresExpiredRows implements ExpiredRows {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async delete(table: ExpiringTable, until: Moment, count: number): Promise<number> {
    const { rowCount } = await withErrorMapping(() => expiredRowsQuery(this.#db, table, until, count));
    return rowCount ?? 0;
  }
}

export const expiredRowsQuery = (
  db: Knex,
  table: ExpiringTable,
  until: Moment,
  count: number,
): Knex.Raw<{ readonly rowCount: number | null }> => {
  const { name, time, rows } = EXPIRING[table];
  return db.raw(
    `delete from ${name} where ctid = any (array (
       select ctid from ${name} where ${rows} and ${time} <= ? order by ${time} limit ? for update skip locked
     ))`,
    [until, count],
  );
};
