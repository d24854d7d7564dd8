import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';

/** No lock in time, or a deadlock. */
const RETRIED = ['55P03', '40P01'];
const ATTEMPTS_MAX = 30;
const PAUSE_MS = 500;

/**
 * Runs a step of a migration in its own transaction. A statement waits at most 2 s for a lock, because requests queue
 * behind it while it waits. If it gets no lock, the step is tried again after a pause.
 */
export const withShortLocks = (db: Knex, step: (tx: Knex.Transaction) => Promise<void>): Promise<void> =>
  retried(() =>
    db.transaction(async (tx) => {
      await tx.raw("set local lock_timeout = '2s'");
      await step(tx);
    }),
  );

/** Runs a step of a migration, and runs it again after a pause if it gets no lock. */
export async function retried(step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (fault) {
      const { code } = fault as { readonly code?: string };
      if (code === undefined || !RETRIED.includes(code) || attempt >= ATTEMPTS_MAX) throw fault;
      await setTimeout(PAUSE_MS);
    }
  }
}
