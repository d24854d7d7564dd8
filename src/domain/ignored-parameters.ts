import type { KeyFormat } from './keys/key-value.js';

/** The most names that one answer lists. */
const LISTED_MAX = 10;

/** A longer name, or one with other characters, can be anything: a key, a word that a person typed, another header. */
const REPEATABLE = /^[A-Za-z0-9_.-]{1,32}$/;

/** What recognises a key in a text (D19). */
type Keys = Pick<KeyFormat, 'containsKey'>;

/** Whether an answer may repeat the name of a parameter that a client sent. Such a name is never cut. */
export const isRepeatable = (name: string, keys: Keys): boolean =>
  REPEATABLE.test(name) && !keys.containsKey(name);

/** The names of the parameters of a request that its call does not know, as an answer lists them: each once, sorted (D13). */
export function ignoredParameters(
  sent: readonly { readonly name: string }[],
  known: ReadonlySet<string>,
  keys: Keys,
): readonly string[] {
  const unknown = new Set<string>();
  for (const { name } of sent) if (!known.has(name) && isRepeatable(name, keys)) unknown.add(name);
  return unknown.size === 0 ? NONE : [...unknown].sort().slice(0, LISTED_MAX);
}

const NONE: readonly string[] = [];
