import { NotNow, Unavailable, Unwritable } from '../../application/unavailable.js';

/**
 * What the service makes of a fault. `away`: the database does not answer, or not in time. `not now`: it answered, and
 * this one statement or session could not go on. `unwritable`: it refuses writes for now, while reads go on.
 */
type Meaning = 'away' | 'not now' | 'unwritable';

/**
 * Every SQLSTATE that the caller is answered 503 for, with the reason in words. Nothing was written. Nothing is tried
 * again here either: whoever waits for the answer knows best for how long. What is not listed is a fault of ours (500).
 * The first row that matches counts.
 */
// biome-ignore format: a table is read by its columns
const STATES: readonly (readonly [states: RegExp, meaning: Meaning, reason: string])[] = [
  [/^08/,           'away',       'the connection failed'],
  [/^25006$/,       'unwritable', 'it is read-only'],                    // A standby, or a failover under way (T28).
  [/^25P0[34]$/,    'not now',    'the transaction was idle for too long'],
  [/^40(001|P01)$/, 'not now',    'the transaction lost a race'],        // Serialization failure, deadlock.
  [/^42501$/,       'unwritable', 'a permission is missing'],            // A revoked grant, a read-only file system.
  [/^53100$/,       'unwritable', 'its disk is full'],
  [/^53/,           'away',       'it lacks memory or connections'],
  [/^55P03$/,       'not now',    'a lock was not free in time'],
  [/^57014$/,       'away',       'the statement took too long'],
  [/^57P01$/,       'not now',    'the session was ended'],
  [/^57P0[2-5]$/,   'away',       'it is starting or stopping'],
  [/^58030$/,       'away',       'its disk fails'],
];

/** SQLSTATE of a statement that would write in a session, or on a server, that is read-only. */
export const READ_ONLY = '25006';
/** SQLSTATE of a missing grant. A running service waits for it; at the start it is a setting that is wrong. */
export const NO_PERMISSION = '42501';
/** SQLSTATE of a full disk. */
export const DISK_FULL = '53100';

/** What the network says of a server that is not there, or no more. */
const GONE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Faults without a code, by the words that pg, knex and its pool have for them. */
const WORDS =
  /timeout|timed out|terminated unexpectedly|connection error|connection ended|not queryable|unable to acquire|aborted/i;

/** The SQLSTATE, or the code of the network, of what pg and knex threw. */
export const codeOf = (fault: unknown): unknown => (fault as { readonly code?: unknown } | null)?.code;

/** Whether a fault says that the database cannot do now what it was asked for; anything else is a bug. */
export function isUnavailable(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const code = codeOf(fault);
  if (typeof code === 'string') return stateOf(code) !== undefined || GONE.has(code);
  if (fault instanceof AggregateError) return fault.errors.some(isUnavailable);
  return WORDS.test(fault.message);
}

/** Runs a query; a database that cannot answer in time becomes `Unavailable`, one that refuses writes `Unwritable`. */
export async function withErrorMapping<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (fault) {
    if (!isUnavailable(fault)) throw fault;
    const [, meaning = 'away', reason = ''] = stateOf(codeOf(fault)) ?? [];
    throw MAKE[meaning](fault, reason);
  }
}

const MAKE: Readonly<Record<Meaning, (fault: unknown, reason: string) => Unavailable>> = {
  away: (fault) => new Unavailable('Postgres', fault),
  'not now': (fault, reason) => new NotNow('Postgres', fault, `cannot do this now: ${reason}`),
  unwritable: (fault, reason) => new Unwritable('Postgres', reason, fault),
};

const stateOf = (code: unknown) => STATES.find(([states]) => typeof code === 'string' && states.test(code));
