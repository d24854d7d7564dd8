import type { Knex } from 'knex';
import { isUnavailable } from './unavailable-database.js';

const TRY_EVERY_MS = 250;
/** Said at once, and again after so many attempts. */
const SAY_EVERY = 40;

/**
 * Waits until the database answers, and says so while it does not. It throws what waiting does not
 * mend (a wrong password, a database that does not exist), and stops waiting when told to.
 */
export async function untilReachable(
  db: Knex,
  told: AbortSignal,
  say: (words: string) => void,
): Promise<void> {
  for (let attempt = 0; !told.aborted; attempt += 1) {
    try {
      await db.raw('select 1');
      return;
    } catch (fault) {
      if (!isUnavailable(fault)) throw fault;
      if (attempt % SAY_EVERY === 0)
        say(`waiting for Postgres: ${(fault as Error).message || 'it does not answer'}`);
    }
    await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
  }
  throw new Error('told to stop before Postgres answered');
}
