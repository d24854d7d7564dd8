import {
  readTermValues,
  TERM_PARAMETERS,
  type TermParameter,
  type TermValues,
} from '../../../domain/feed/filters/filter-values.js';
import type { Fault } from '../../../domain/refusal.js';
import { CODES_MESSAGE, WORDS_MESSAGE } from '../schema/filter-schemas.js';

/** The values of the filters by terms in a query, and the faults of those that are not valid (D57). */
export function readFilterValues(given: ReadonlyMap<string, string>): {
  readonly values: TermValues;
  readonly faults: readonly Fault[];
} {
  const values: { [Name in TermParameter]?: readonly string[] } = {};
  const faults: Fault[] = [];
  for (const name of TERM_PARAMETERS) {
    const text = given.get(name);
    if (text === undefined) continue;
    const read = readTermValues(name, text);
    if (read === undefined) faults.push(faultOf(name));
    else values[name] = read;
  }
  return { values, faults };
}

const faultOf = (parameter: TermParameter): Fault =>
  parameter === 'q'
    ? { parameter, code: 'invalid_words', message: WORDS_MESSAGE }
    : { parameter, code: 'invalid_codes', message: CODES_MESSAGE };
