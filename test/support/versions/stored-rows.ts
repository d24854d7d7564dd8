import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Knex } from 'knex';
import { VERSION_BEFORE } from './version-before.js';

const FOLDER = resolve(import.meta.dirname, `../../../../test/fixtures/rows-${VERSION_BEFORE}`);

/** All tables with rows of the service, in an order that allows inserts. */
export const STORED_TABLES = [
  'account',
  'api_key',
  'audit',
  'notice',
  'payment_event',
  'turn',
  'ticket',
  'session',
  'identity',
  'usage',
  'item',
  'item_sub_market',
  'feed_change',
  'feed_head',
  'test_clock',
] as const;
export type StoredTable = (typeof STORED_TABLES)[number];

/** Tables that always have one row. */
const ONE_ROW: readonly StoredTable[] = ['feed_head', 'test_clock'];

type Row = Readonly<Record<string, unknown>>;

/** The rows of a table as the previous version wrote them: all columns, as JSON. */
export const rowsBefore = (table: StoredTable): readonly Row[] =>
  JSON.parse(readFileSync(join(FOLDER, `${table}.json`), 'utf8')) as readonly Row[];

/** The columns that the previous version does not know. */
const NEW_COLUMNS: Partial<Readonly<Record<StoredTable, readonly string[]>>> = {
  api_key: ['closed', 'first_used_at'],
  item: ['n', 'has_terms', 'terms_version'],
  feed_change: ['mark', 'kind', 'at', 'known_at', 'head', 'revision', 'is_superseded'],
  notice: ['attempted_at'],
  payment_event: ['settled_at'],
};

/** The rows of a table, ordered by its key: all columns that the previous version knows, as JSON. */
export async function rowsOf(db: Knex, table: StoredTable): Promise<readonly Row[]> {
  const { rows } = await db.raw<{ rows: readonly { readonly row: Row }[] }>(
    'select to_json(stored) as row from ?? as stored order by to_json(stored)::text',
    [table],
  );
  const isNew = (name: string) => NEW_COLUMNS[table]?.includes(name) ?? false;
  return (
    rows
      .map(({ row }) => Object.fromEntries(Object.entries(row).filter(([name]) => !isNew(name))))
      // The first row of the log is not a change. The previous version never reads it.
      .filter((row) => table !== 'feed_change' || row['n'] !== 0)
  );
}

const PROSE = ['fault', 'reason'];

/** Rows without texts for people, which may change. The issuer in the entry of a joined identity is not such a text. */
export function withoutProse<Value>(value: Value): Value {
  const cut = (name: string, field: unknown, of: Row) =>
    PROSE.includes(name) && typeof field === 'string' && of['event'] !== 'identity_joined'
      ? '…'
      : withoutProse(field);
  if (Array.isArray(value)) return value.map(withoutProse) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  return Object.fromEntries(
    Object.entries(row).map(([name, field]) => [name, cut(name, field, row)]),
  ) as Value;
}

/** Columns with a sequence of Postgres. */
const NUMBERED = { audit: 'n', notice: 'id' } as const;

/** Inserts the rows of the previous version with plain SQL. */
export async function insertRowsBefore(db: Knex): Promise<void> {
  for (const table of STORED_TABLES) {
    if (ONE_ROW.includes(table)) await db(table).delete();
    await db.raw(
      'insert into ?? overriding system value select * from json_populate_recordset(null::??, ?)',
      [table, table, JSON.stringify(rowsBefore(table))],
    );
  }
  for (const [table, column] of Object.entries(NUMBERED)) {
    await db.raw('select setval(pg_get_serial_sequence(?, ?), (select max(??) from ??))', [
      table,
      column,
      column,
      table,
    ]);
  }
}
