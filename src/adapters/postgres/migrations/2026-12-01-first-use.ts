import type { Knex } from 'knex';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction: the lock is tried several times. */
export const config = { transaction: false };

export const up = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('alter table api_key add column if not exists first_used_at timestamptz');
    await tx.raw(
      "comment on column api_key.first_used_at is 'null: last_used_at is the first use that is known'",
    );
  });

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    await tx.raw('alter table api_key drop column if exists first_used_at');
  });
