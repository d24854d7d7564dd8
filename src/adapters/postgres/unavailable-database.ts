import { NotNow, Unavailable, Unwritable } from '../../application/unavailable.js';

/**
 * What an error means for the service. `unavailable`: the database does not answer, or not in time. `not now`: it answers,
 * but this statement or session failed. `unwritable`: it refuses writes for now, but reads succeed.
 */
type Meaning = 'unavailable' | 'not now' | 'unwritable';

/**
 * Every SQLSTATE that leads to a 503, with the reason for operators. Nothing was written. The adapter does not retry,
 * because only the caller knows how long it can wait. Any other SQLSTATE is a bug (500). The first matching row counts.
 */
// biome-ignore format: a table is read by its columns
const STATES: readonly (readonly [states: RegExp, meaning: Meaning, reason: string])[] = [
  [/^08/,           'unavailable', 'the connection failed'],
  [/^25006$/,       'unwritable',  'it is read-only'],                    // A standby, or a failover in progress (T28).
  [/^25P0[34]$/,    'not now',     'the transaction was idle for too long'],
  [/^40(001|P01)$/, 'not now',     'the transaction conflicted with another'], // Serialization failure, deadlock.
  [/^42P01$/,       'unavailable', 'a table is missing'],                 // A restore drops tables first (D45).
  [/^42501$/,       'unwritable',  'a permission is missing'],            // A revoked grant, a read-only file system.
  [/^53100$/,       'unwritable',  'its disk is full'],
  [/^53/,           'unavailable', 'it lacks memory or connections'],
  [/^55P03$/,       'not now',     'a lock was not available in time'],
  [/^57014$/,       'not now',     'the statement took too long'],
  [/^57P01$/,       'not now',     'the session was terminated'],
  [/^57P0[2-5]$/,   'unavailable', 'it is starting or stopping'],
  [/^58030$/,       'unavailable', 'its disk fails'],
];

/** SQLSTATE of a write in a read-only session or on a read-only server. */
export const READ_ONLY = '25006';
/** SQLSTATE of a missing grant. A running service waits for the grant. A start fails, as with a wrong setting. */
export const NO_PERMISSION = '42501';
/** SQLSTATE of a full disk. */
export const DISK_FULL = '53100';

/** Network error codes of a server that is down or unreachable. */
const UNREACHABLE = new Set([
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

/** The messages of pg, knex and its pool for connection errors without a code. */
const MESSAGES =
  /timeout|timed out|terminated unexpectedly|connection error|connection ended|not queryable|unable to acquire|aborted/i;

/** The SQLSTATE or network error code of an error from pg or knex. */
export const codeOf = (fault: unknown): unknown => (fault as { readonly code?: unknown } | null)?.code;

/** Whether an error means that the database cannot do this now. Any other error is a bug. */
export function isUnavailable(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const code = codeOf(fault);
  if (typeof code === 'string') return stateOf(code) !== undefined || UNREACHABLE.has(code);
  if (fault instanceof AggregateError) return fault.errors.some(isUnavailable);
  return MESSAGES.test(fault.message);
}

/** All connections of a pool of ours are in use: Postgres was not asked. */
const isPoolFull = (fault: unknown): boolean => fault instanceof Error && fault.name === 'KnexTimeoutError';

/** Runs a query and throws its error as `Unavailable`, `NotNow` or `Unwritable`. Other errors pass unchanged. */
export async function withErrorMapping<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (fault) {
    if (isPoolFull(fault))
      throw new NotNow('Postgres', undefined, 'cannot do this now: all connections are in use');
    if (!isUnavailable(fault)) throw fault;
    const [, meaning = 'unavailable', reason = ''] = stateOf(codeOf(fault)) ?? [];
    throw ERRORS[meaning](fault, reason);
  }
}

const ERRORS: Readonly<Record<Meaning, (fault: unknown, reason: string) => Unavailable>> = {
  unavailable: (fault) => new Unavailable('Postgres', fault),
  'not now': (fault, reason) => new NotNow('Postgres', fault, `cannot do this now: ${reason}`),
  unwritable: (fault, reason) => new Unwritable('Postgres', reason, fault),
};

const stateOf = (code: unknown) => STATES.find(([states]) => typeof code === 'string' && states.test(code));
