import { Unavailable } from '../../application/unavailable.js';

/** Classes of SQLSTATE that say "not now": connection, resources, operator intervention, lost races, time. */
const NOT_NOW = /^(08|53|57P0[1-5]|57014|25P0[34]|55P03|40001|40P01)/;

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

/** Whether a fault says that the database could not answer in time; anything else is a bug. */
export function isUnavailable(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const { code } = fault as { readonly code?: unknown };
  if (typeof code === 'string') return NOT_NOW.test(code) || GONE.has(code);
  if (fault instanceof AggregateError) return fault.errors.some(isUnavailable);
  return WORDS.test(fault.message);
}

/** Runs a query; a database that cannot answer in time becomes `Unavailable`. */
export async function answered<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (fault) {
    throw isUnavailable(fault) ? new Unavailable('Postgres', fault) : fault;
  }
}
