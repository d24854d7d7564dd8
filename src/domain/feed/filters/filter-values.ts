import { FACETS, type Facet } from './facets.js';
import { kindOf, type TermFilter, termOf } from './item-terms.js';
import { referencesOf, termsOfReferences, textsOfReferences } from './market-filter.js';
import { wordsOf } from './text-words.js';

const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

/** The parameters that filter by terms: facets, references to markets, and words (D57, D65). */
export type TermParameter = Facet | 'market' | 'q';

/** The most codes of one parameter. */
export const CODES_MAX = 10;

/** The most different words of `q`. */
export const QUERY_WORDS_MAX = 4;

const CODE = '[^,]+';
/** The pattern of one code. */
export const CODE_PATTERN = `^${CODE}$`;
/** The pattern of the texts that `readCodes` accepts. */
export const CODES_PATTERN = `^${CODE}(?:,${CODE}){0,${CODES_MAX - 1}}$`;

/**
 * The values of a facet in a text, separated by commas and then folded; undefined if one is empty or there are too many. Codes
 * are compared as they are.
 */
export function readCodes(
  text: string,
  fold: (code: string) => string = (code) => code,
): readonly string[] | undefined {
  const codes = text.split(',', CODES_MAX + 1).map(fold);
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
export const readTermValues = (name: Facet | 'q', text: string): readonly string[] | undefined =>
  name === 'q' ? readQueryWords(text) : readCodes(text, FACETS[name].fold);

/** Any of the values of a facet, any of the references, and all words of `q`. */
export const termFilterOf = (values: TermValues): TermFilter =>
  [
    ...FACET_NAMES.map((facet) => (values[facet] ?? []).map((code) => termOf(facet, code))),
    termsOfReferences(values.market ?? []),
    ...(values.q ?? []).map((word) => [termOf('word', word)]),
  ].filter((anyOf) => anyOf.length > 0);

/** The values of the parameters that make a filter. */
export function termValuesOf(filter: TermFilter): TermValues {
  const values: { [Name in TermParameter]?: readonly string[] } = {};
  const references = referencesOf(filter);
  const terms = filter.filter((anyOf) => anyOf !== references).flat();
  for (const name of [...FACET_NAMES, 'q'] as const) {
    const kind = name === 'q' ? 'word' : name;
    const own = terms.filter((term) => kindOf(term) === kind);
    if (own.length > 0) values[name] = own.map((term) => term.slice(kind.length + 1));
  }
  if (references !== null) values.market = textsOfReferences(references);
  return values;
}
