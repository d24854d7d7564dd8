import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { findBinaries } from '../../../src/adapters/postgres-server/postgres-binaries.js';

const DUMP_BYTES_MAX = 256 * 1_024 * 1_024;

/**
 * The content of a whole database as text: that of `pg_dump`, or else of all rows of all tables. The npm package with the
 * binaries of Postgres has no `pg_dump`. Binary columns are hexadecimal in both. The rows of tables in `leftOut` are left out.
 */
export async function dumpOf(url: string, leftOut: readonly string[] = []): Promise<string> {
  const program = join(findBinaries({}, tmpdir()).folder, 'pg_dump');
  if (!existsSync(program)) return rowsOf(url, leftOut);
  const without = leftOut.map((table) => `--exclude-table-data=${table}`);
  const { stdout } = await promisify(execFile)(program, ['-d', url, ...without], {
    maxBuffer: DUMP_BYTES_MAX,
  });
  return stdout;
}

async function rowsOf(url: string, leftOut: readonly string[]): Promise<string> {
  const db = connect(url, LONG_TIMEOUTS, 1);
  try {
    const { rows: tables } = await db.raw<{ rows: readonly { readonly name: string }[] }>(
      "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      if (leftOut.includes(name.replace('public.', ''))) continue;
      const { rows } = await db.raw(
        `select string_agg(stored::text, E'\\n') as content from ${name} as stored`,
      );
      texts.push(name, rows[0]?.content ?? '');
    }
    return texts.join('\n');
  } finally {
    await disconnect(db);
  }
}

/** Whether a dump has a text: as it is, as in JSON (whose backslashes `pg_dump` doubles), or as bytes. */
export function dumpHas(dump: string, text: string): boolean {
  const json = JSON.stringify(text).slice(1, -1);
  const forms = [text, json, json.replaceAll('\\', '\\\\'), Buffer.from(text).toString('hex')];
  return forms.some((form) => dump.includes(form));
}
