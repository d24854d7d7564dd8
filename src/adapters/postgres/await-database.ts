import type { Knex } from 'knex';
import { Unavailable } from '../../application/unavailable.js';
import { codeOf, isUnavailable, NO_PERMISSION } from './unavailable-database.js';

const TRY_EVERY_MS = 250;
/** Said at once, and again after so many attempts. */
const SAY_EVERY = 40;

/** Waits until the database answers, and says so while it does not. */
export const untilReachable = (db: Knex, told: AbortSignal, say: (words: string) => void): Promise<void> =>
  untilDone(() => db.raw('select 1'), told, say);

/**
 * Tries `work` until the database can do it, and says so while it cannot. It throws what waiting does not mend (a wrong
 * password, a database that does not exist, a grant that the role never had), and stops waiting when told to.
 */
export async function untilDone(
  work: () => Promise<unknown>,
  told: AbortSignal,
  say: (words: string) => void,
): Promise<void> {
  for (let attempt = 0; !told.aborted; attempt += 1) {
    try {
      await work();
      return;
    } catch (thrown) {
      const fault = worthWaitingFor(thrown);
      if (attempt % SAY_EVERY === 0) say(`waiting for Postgres: ${fault.message || 'it does not answer'}`);
    }
    await new Promise((done) => setTimeout(done, TRY_EVERY_MS));
  }
  throw new Error('told to stop before Postgres answered');
}

/** What the database itself said, if waiting can mend it; throws it if not. */
function worthWaitingFor(thrown: unknown): Error {
  const fault = thrown instanceof Unavailable ? (thrown.cause ?? thrown) : thrown;
  if (!isUnavailable(fault) || codeOf(fault) === NO_PERMISSION) throw fault;
  return fault as Error;
}
