import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Large indexes are built concurrently, which no transaction can. */
export const config = { transaction: false };

/** Deleted accounts by the time of their opening. `postgres-account-lists.ts` has the same expressions. */
export const up = (db: Knex): Promise<void> =>
  createIndex(db, {
    name: 'deleted_account_opened',
    table: 'account',
    definition: "(json_text(body, '{openedAt}')) where email not like '%@%'",
  });

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('drop index if exists deleted_account_opened');
  });
