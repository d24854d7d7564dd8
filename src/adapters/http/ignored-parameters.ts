import { ignoredParameters } from '../../domain/ignored-parameters.js';
import type { KeyFormat } from '../../domain/keys/key-value.js';
import { parameters } from './parameters.js';
import type { Context } from './state.js';

export const IGNORED_PARAMETERS = 'Ignored-Parameters';

/** The parameters that a call with a key knows: those of its table, others, and the one that carries the key. */
export const knownParameters = (table: object, ...others: readonly string[]): ReadonlySet<string> =>
  new Set([...Object.keys(table), ...others, 'api_key']);

/** The names that the answer to this query string lists as ignored (D13). */
export const ignoredIn = (
  querystring: string,
  known: ReadonlySet<string>,
  keyFormat: KeyFormat,
): readonly string[] => ignoredParameters(parameters(querystring), known, keyFormat);

/** Sets the header, also on refusals: a client that misspells a parameter sees it on every answer to its key. */
export function setIgnored(ctx: Context, ignored: readonly string[]): void {
  if (ignored.length > 0) ctx.set(IGNORED_PARAMETERS, ignored.join(', '));
}
