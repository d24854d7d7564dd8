import type { Knex } from 'knex';
import { retried, withShortLocks } from './with-short-locks.js';

/** A table of at most so many rows is indexed within milliseconds. */
const SMALL_ROWS = 10_000;

type Index = {
  readonly name: string;
  readonly table: string;
  /** What follows the name of the table. */
  readonly definition: string;
  readonly isUnique?: boolean;
};

/**
 * Creates an index, unless a large table has it already. Writers of a small table wait for it. On a large table the
 * index is built concurrently: nobody waits for it, and it waits for the transactions and statements that began before
 * it. An interrupted build leaves an invalid index, which is dropped and built again. Not for a transaction.
 */
export async function createIndex(
  db: Knex,
  { name, table, definition, isUnique = false }: Index,
): Promise<void> {
  const create = isUnique ? 'create unique index' : 'create index';
  if (await hasOnly(db, table, SMALL_ROWS)) {
    await withShortLocks(db, async (tx) => {
      await tx.raw(`drop index if exists ${name}`);
      await tx.raw(`${create} ${name} on ${table} ${definition}`);
    });
    return;
  }
  await onOneConnection(db, (query) =>
    retried(async () => {
      const isValid = await validity(query, name);
      if (isValid === false) await query(`drop index concurrently if exists ${name}`);
      if (isValid !== true) await query(`${create} concurrently ${name} on ${table} ${definition}`);
    }),
  );
}

async function hasOnly(db: Knex, table: string, rows: number): Promise<boolean> {
  const more = await db(table).select(db.raw('1')).offset(rows).limit(1);
  return more.length === 0;
}

type Query = (sql: string, values?: readonly string[]) => Promise<{ readonly rows: readonly object[] }>;

/**
 * With a bound on each wait for others, so that two processes that wait for each other end that. Postgres looks every
 * second whether this process is still connected: it would otherwise go on with the build of a process that was killed,
 * and the next start would wait for that build with a lock that holds up all reads and writes of the table.
 */
async function onOneConnection(db: Knex, work: (query: Query) => Promise<void>): Promise<void> {
  const connection: unknown = await db.client.acquireConnection();
  const query: Query = async (sql, values = []) => db.raw(sql, [...values]).connection(connection);
  try {
    await query("set lock_timeout = '60s'");
    // Postgres 13 and Postgres on Windows refuse it, and do without.
    await query("set client_connection_check_interval = '1s'").catch(() => undefined);
    await work(query);
    await query('reset lock_timeout');
  } finally {
    await db.client.releaseConnection(connection);
  }
}

/** Undefined if there is no index of that name. */
async function validity(query: Query, name: string): Promise<boolean | undefined> {
  const { rows } = await query('select indisvalid from pg_index where indexrelid = to_regclass(?)', [name]);
  const [index] = rows as readonly { readonly indisvalid: boolean }[];
  return index?.indisvalid;
}
