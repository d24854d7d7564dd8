import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Large indexes are built concurrently, which no transaction can. */
export const config = { transaction: false };

/** The accounts of a plan. `postgres-account-lists.ts` has the same expressions. */
export const up = (db: Knex): Promise<void> =>
  createIndex(db, {
    name: 'account_plan',
    table: 'account',
    definition: "(json_text(body, '{subscription,plan}'), id) where email like '%@%'",
  });

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('drop index if exists account_plan');
  });
