import type { Knex } from 'knex';
import { defineFunctions } from './2026-11-26-change-logs.js';
import { COMPLETE_FEED_CHANGE } from './2026-12-03-history.js';

export const oldestVersion = '0.1.0';

/** Databases with an earlier state of `2026-12-03-history` get its function as it is now. */
export async function up(db: Knex): Promise<void> {
  await db.transaction((tx) => defineFunctions(tx, [COMPLETE_FEED_CHANGE]));
}

/** The earlier function had the same results. */
export async function down(): Promise<void> {}
