import type { Knex } from 'knex';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction, which would hold the locks of both tables until its end. Each statement can be repeated. */
export const config = { transaction: false };

/**
 * The times from which notices and payment events are kept (`domain/retention.ts`), and the indexes by which a batch of
 * expired rows is found. 0.2.0 does not write these times. For its rows, `due_at` is when the last attempt to send was
 * due, and `received_at` is nearly always when the event was applied.
 */
const UP: readonly string[] = [
  'alter table notice add column if not exists attempted_at timestamptz(6)',
  "comment on column notice.attempted_at is 'when it was last claimed; null: never, or by version 0.2.0'",
  `create index if not exists notice_attempted on notice (greatest(attempted_at, due_at)) where state <> 'waiting'`,
  'alter table payment_event add column if not exists settled_at timestamptz(6)',
  "comment on column payment_event.settled_at is 'when it was applied or ignored; null: not yet, or by version 0.2.0'",
  `create index if not exists payment_event_settled on payment_event (coalesce(settled_at, received_at))
     where state in ('applied', 'ignored')`,
];

const DOWN: readonly string[] = [
  'alter table payment_event drop column if exists settled_at',
  'alter table notice drop column if exists attempted_at',
];

export async function up(db: Knex): Promise<void> {
  for (const sql of UP) await withShortLocks(db, (tx) => tx.raw(sql));
}

/** Dropping a column also drops the indexes that use it. */
export async function down(db: Knex): Promise<void> {
  for (const sql of DOWN) await withShortLocks(db, (tx) => tx.raw(sql));
}
