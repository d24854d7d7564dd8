import type { Knex } from 'knex';
import { Unavailable } from '../../application/unavailable.js';
import { migrate, requireNewestSchema } from './migrate.js';
import { codeOf, isUnavailable, NO_PERMISSION } from './unavailable-database.js';

const TRY_EVERY_MS = 250;
/** Said at once, and again after so many attempts. */
const SAY_EVERY = 40;

/** Waits until the database answers, and says so while it does not. */
export const untilReachable = (
  db: Knex,
  signal: AbortSignal,
  say: (message: string) => void,
): Promise<void> => untilDone(() => db.raw('select 1'), signal, say);

type Log = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;

type Preparing = {
  readonly db: Knex;
  readonly url: string;
  /** Whether to bring the database to the newest schema, or to refuse an older one. */
  readonly migrates: boolean;
  readonly log: Log;
  /** Told what the start waits for; null when it waits no longer. */
  readonly waitFor: (message: string | null) => void;
};

/** Waits for the database and sees to its schema; where it goes away in between, from the start. */
export async function prepareDatabase(parts: Preparing, signal: AbortSignal): Promise<void> {
  const { db, url, migrates, log, waitFor } = parts;
  const prepare = async () => {
    await db.raw('select 1');
    const { made, newer } = await (migrates ? migrate : requireNewestSchema)(url);
    if (made.length > 0) log.info({ migrations: made }, 'the database was brought to the newest schema');
    if (newer.length > 0) {
      log.info({ migrations: newer }, 'the database has a newer schema, which this version can run on');
    }
  };
  await untilDone(prepare, signal, (message) => {
    waitFor(message);
    log.warn({ dependency: 'Postgres' }, message);
  });
  waitFor(null);
}

/**
 * Tries `work` until the database can do it, and says so while it cannot. It throws what waiting does not mend (a wrong
 * password, a database that does not exist, a grant that the role never had), and stops waiting when told to.
 */
export async function untilDone(
  work: () => Promise<unknown>,
  signal: AbortSignal,
  say: (message: string) => void,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
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
