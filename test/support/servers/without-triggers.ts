import type { Knex } from 'knex';

/** Runs statements without the triggers of their tables, as a restore does. */
export const withoutTriggers = (db: Knex, ...statements: readonly string[]): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.raw('set local session_replication_role = replica');
    for (const statement of statements) await tx.raw(statement);
  });
