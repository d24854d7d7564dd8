import type { Knex } from 'knex';
import { Unavailable } from '../../application/unavailable.js';
import { isRefusedByPooler, POOLER_ADVICE } from '../findings/connection-fault.js';
import { requireCapableEngine } from './engine/require-capable-engine.js';
import { migrate, requireNewestSchema } from './migrate.js';
import { codeOf, isUnavailable, NO_PERMISSION } from './unavailable-database.js';

const RETRY_INTERVAL_MS = 250;
/** Of this number of failed attempts, one is reported, beginning with the first. */
const REPORT_EVERY = 40;

/** Waits until the database answers. Reports the reason of the wait at once and then repeatedly. */
export const untilReachable = (
  db: Knex,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> => retryUntilAvailable(() => db.raw('select 1'), signal, report);

type Log = Readonly<Record<'info' | 'warn', (fields: object, message: string) => void>>;

type Preparation = {
  readonly db: Knex;
  readonly url: string;
  /** True: migrate to the newest schema. False: refuse an older schema. */
  readonly migrates: boolean;
  readonly log: Log;
  /** Called with what the start waits for, and with null when the wait is over. */
  readonly waitFor: (message: string | null) => void;
};

/**
 * Waits for the database, refuses an engine that lacks a needed feature, then migrates or checks its schema. If the database
 * fails before the end, waits and starts again.
 */
export async function prepareDatabase(preparation: Preparation, signal: AbortSignal): Promise<void> {
  const { db, url, migrates, log, waitFor } = preparation;
  const prepare = async () => {
    await db.raw('select 1');
    await requireCapableEngine(url);
    const { applied, newer } = await (migrates ? migrate : requireNewestSchema)(url);
    if (applied.length > 0) {
      // Some checks need the tables.
      await requireCapableEngine(url);
      log.info({ migrations: applied }, 'migrated the database to the newest schema');
    }
    if (newer.length > 0) {
      log.info({ migrations: newer }, 'the database has a newer schema, which this version can run on');
    }
  };
  await retryUntilAvailable(prepare, signal, (message) => {
    waitFor(message);
    log.warn({ dependency: 'Postgres' }, message);
  });
  waitFor(null);
}

/**
 * Repeats `work` until it succeeds, and reports why it waits. Throws at once when waiting cannot help: a wrong password, a
 * database that does not exist, a missing grant. Throws when `signal` aborts.
 */
async function retryUntilAvailable(
  work: () => Promise<unknown>,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await work();
      return;
    } catch (thrown) {
      const fault = temporaryFault(thrown);
      if (attempt % REPORT_EVERY === 0)
        report(`waiting for Postgres: ${fault.message || 'it does not answer'}`);
    }
    await new Promise((done) => setTimeout(done, RETRY_INTERVAL_MS));
  }
  throw new Error('stopped before Postgres answered');
}

/** The error of the database itself, if waiting can help. Throws it otherwise. */
function temporaryFault(thrown: unknown): Error {
  const fault = thrown instanceof Unavailable ? (thrown.cause ?? thrown) : thrown;
  refusePooler(fault);
  if (!isUnavailable(fault) || codeOf(fault) === NO_PERMISSION) throw fault;
  return fault as Error;
}

/** A pooler in transaction mode refuses the settings of a session. Its error code is that of a lost connection. */
function refusePooler(fault: unknown): void {
  if (!(fault instanceof Error) || !isRefusedByPooler({ code: '', message: fault.message })) return;
  throw new Error(`Postgres cannot be used: ${fault.message}. ${POOLER_ADVICE}`);
}
