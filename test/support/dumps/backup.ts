import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrate } from '../../../src/adapters/postgres/migrate.js';
import { findBinaries } from '../../../src/adapters/postgres-server/postgres-binaries.js';
import { serverUser } from '../../../src/adapters/postgres-server/server-user.js';

/** A backup of a database. */
export type Backup = {
  /** Replaces the database at `url` in one transaction. */
  readonly restore: (url: string) => Promise<void>;
};

/** Uses `pg_dump`. The npm package of Postgres does not have it: then statements copy the rows. */
export async function backupOf(url: string): Promise<Backup> {
  const { folder } = findBinaries(serverUser(), tmpdir());
  return existsSync(join(folder, 'pg_dump')) ? programBackup(url, folder) : rowBackup(url);
}

const run = promisify(execFile);

async function programBackup(url: string, programs: string): Promise<Backup> {
  const file = join(mkdtempSync(join(tmpdir(), 'oddswire-dump-')), 'oddswire.dump');
  await run(join(programs, 'pg_dump'), ['--format=custom', `--file=${file}`, url]);
  const options = ['--clean', '--if-exists', '--single-transaction', '--exit-on-error'];
  const restore = async (to: string): Promise<void> => {
    try {
      await run(join(programs, 'pg_restore'), [...options, '-d', to, file]);
    } catch (fault) {
      // Nothing was restored: statements of the service and the restore waited for each other.
      if (!String(fault).includes('deadlock detected')) throw fault;
      await restore(to);
    }
  };
  return { restore };
}

type Table = { readonly name: string; readonly rows: string };

async function rowBackup(url: string): Promise<Backup> {
  const tables: Table[] = [];
  await inTransaction(url, async (client) => {
    await client.query('set transaction isolation level repeatable read');
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of rows) {
      const sql = `select coalesce(json_agg(each), '[]')::text as rows from ${name} as each`;
      const [found] = (await client.query<{ rows: string }>(sql)).rows;
      tables.push({ name, rows: found?.rows ?? '[]' });
    }
  });
  const restore = async (to: string): Promise<void> => {
    await migrate(to);
    await inTransaction(to, (client) => replaceRows(client, tables));
  };
  return { restore };
}

async function replaceRows(client: pg.Client, tables: readonly Table[]): Promise<void> {
  // Without triggers, as the rows of a dump are loaded before its triggers.
  await client.query('set local session_replication_role = replica');
  await client.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  for (const { name, rows } of tables) {
    await client.query(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1)`,
      [rows],
    );
  }
}

async function inTransaction(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}
