import type { Knex } from 'knex';
import type { ExpiredRows } from '../../../application/ports/expired-rows.js';
import type { ExpiringTable, Expiry } from '../../../domain/retention.js';
import { withErrorMapping } from '../unavailable-database.js';

/** The change log whose rows expire. Its table has this name. */
type Log = 'account_change';

/**
 * The name and the primary key of each other table, the time from which its rows are kept, and the rows that have such a time.
 * The expressions are those of the indexes, so that a batch reads only the rows that it deletes (`2026-11-27-retention.ts`).
 */
// biome-ignore format: a table is read by its columns
const EXPIRING: Readonly<Record<Exclude<ExpiringTable, Log>, { readonly name: string; readonly key: readonly string[]; readonly time: string; readonly rows: string }>> = {
  one_time_token: { name: 'ticket',        key: ['hash'],                           time: 'expires_at',                        rows: 'true' },
  session:        { name: 'session',       key: ['hash'],                           time: 'ends_at',                           rows: 'true' },
  usage:          { name: 'usage',         key: ['key_id', 'hour', 'status_class'], time: 'hour',                              rows: 'true' },
  notice:         { name: 'notice',        key: ['id'],                             time: 'greatest(attempted_at, due_at)',    rows: "state <> 'waiting'" },
  payment_event:  { name: 'payment_event', key: ['id'],                             time: 'coalesce(settled_at, received_at)', rows: "state in ('applied', 'ignored')" },
  request_log:    { name: 'request_log',   key: ['n'],                              time: 'at',                                rows: 'true' },
  destination_delivery: { name: 'destination_delivery', key: ['n'],                time: 'at',                                rows: 'true' },
};

/** Deletes expired rows in Postgres, each batch in one statement, by the indexes of their times. */
export class PostgresExpiredRows implements ExpiredRows {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async delete(table: ExpiringTable, expiry: Expiry, count: number): Promise<number> {
    const { rowCount } = await withErrorMapping(() => expiredRowsQuery(this.#db, table, expiry, count));
    return rowCount ?? 0;
  }
}

type Deletion = Knex.Raw<{ readonly rowCount: number | null }>;

/**
 * Deletes by primary keys. The keys are passed as arrays, because Postgres expects few elements in an array, and then looks up
 * each key in the index. If it knew the size of a batch, it would read the whole of a small table instead.
 */
export function expiredRowsQuery(db: Knex, table: ExpiringTable, expiry: Expiry, count: number): Deletion {
  if (table === 'account_change') return expiredChangesQuery(db, table, expiry, count);
  const { name, key, time, rows } = EXPIRING[table];
  const arrays = key.map((column) => `array(select ${column} from expired)`);
  const isSameRow = key.map((column) => `${name}.${column} = found.${column}`);
  return db.raw(
    `with expired as materialized (
       select ${key.join(', ')} from ${name} where ${rows} and ${time} <= ?
       order by ${time} limit ? for update skip locked
     )
     delete from ${name} using unnest(${arrays.join(', ')}) as found (${key.join(', ')})
     where ${isSameRow.join(' and ')}`,
    [expiry.until, count],
  );
}

/**
 * Deletes the first changes by number, without the lock of the writers: they only add changes behind the newest one. A
 * change without a time was written before the column existed. If a clock was set back, a change can have a later time than
 * its successors: then it and they are kept.
 */
function expiredChangesQuery(db: Knex, log: Log, { until, newestKept }: Expiry, count: number): Deletion {
  return db.raw(
    `with oldest as (
       select n, at from ${log} order by n limit ?
     ), kept as (
       select least(
         (select min(n) from oldest where at > ?), (select max(n) from ${log}) - ?::bigint + 1
       ) as first
     )
     delete from ${log} where n = any (array (
       select n from oldest where n < (select first from kept)
     ))`,
    [count, until, Math.max(1, newestKept)],
  );
}
