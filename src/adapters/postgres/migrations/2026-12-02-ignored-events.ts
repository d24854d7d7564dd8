import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** A large index is built concurrently, which no transaction can. */
export const config = { transaction: false };

/** For the list of the console: of very many ignored events, few have a reason. */
export const up = (db: Knex): Promise<void> =>
  createIndex(db, {
    name: 'payment_event_ignored_with_reason',
    table: 'payment_event',
    definition: "(received_at) where state = 'ignored' and fault is not null",
  });

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('drop index if exists payment_event_ignored_with_reason');
  });
