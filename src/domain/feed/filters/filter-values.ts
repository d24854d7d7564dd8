import { FACETS, type Facet, type Term, type TermFilter, termOf } from './item-terms.js';
import { wordsOf } from './text-words.js';

/** The parameters that filter by terms: codes, and words (D57). */
const TERM_PARAMETERS = [...FACETS, 'q'] as const;
export type TermParameter = (typeof TERM_PARAMETERS)[number];

/** The most codes of one parameter. */
export const CODES_MAX = 10;

/** The most different words of `q`. */
export const QUERY_WORDS_MAX = 4;

const CODE = '[^,]+';
/** The pattern of one code. */
export const CODE_PATTERN = `^${CODE}$`;
/** The pattern of the texts that `readCodes` accepts. */
export const CODES_PATTERN = `^${CODE}(?:,${CODE}){0,${CODES_MAX - 1}}$`;

/** The codes of a text, separated by commas; undefined if one is empty or there are too many. Case counts. */
export function readCodes(text: string): readonly string[] | undefined {
  const codes = text.split(',', CODES_MAX + 1);
  return codes.length > CODES_MAX || codes.includes('') ? undefined : [...new Set(codes)];
}

/** The words of a `q`; undefined if there are none, or too many. */
export function readQueryWords(text: string): readonly string[] | undefined {
  const found = wordsOf(text, QUERY_WORDS_MAX + 1);
  return found.size === 0 || found.size > QUERY_WORDS_MAX ? undefined : [...found];
}

/** The values of each parameter that is given. */
export type TermValues = { readonly [Name in TermParameter]?: readonly string[] };

/** The values of a parameter; undefined if its text is not valid. */
export const readTermValues = (name: TermParameter, text: string): readonly string[] | undefined =>
  name === 'q' ? readQueryWords(text) : readCodes(text);

/** Any of the codes of a parameter, and all words of `q`. */
export const termFilterOf = (values: TermValues): TermFilter => [
  ...FACETS.flatMap((facet) => codesOf(facet, values[facet] ?? [])),
  ...(values.q ?? []).map((word) => [termOf('word', word)]),
];

/** The values of the parameters that make a filter. */
export function termValuesOf(filter: TermFilter): TermValues {
  const values: { [Name in TermParameter]?: readonly string[] } = {};
  for (const name of TERM_PARAMETERS) {
    const kind = `${name === 'q' ? 'word' : name}:`;
    const own = filter.flat().filter((term) => term.startsWith(kind));
    if (own.length > 0) values[name] = own.map((term) => term.slice(kind.length));
  }
  return values;
}

const codesOf = (facet: Facet, codes: readonly string[]): readonly (readonly Term[])[] =>
  codes.length === 0 ? [] : [codes.map((code) => termOf(facet, code))];
