import { CODES_MAX, QUERY_WORDS_MAX } from '../../../domain/feed/filters/filter-values.js';

/** The formats of filters, as `domain/feed/filters/filter-values.ts` reads them. */
export const CODES_FORMAT = 'codes';
/** Codes that are folded, such as names. */
export const NAMES_FORMAT = 'names';
export const WORDS_FORMAT = 'words';

/** The messages for other texts. */
export const CODES_MESSAGE = `must be 1 to ${CODES_MAX} codes, separated by commas, none of them empty`;
export const NAMES_MESSAGE = `must be 1 to ${CODES_MAX} names, separated by commas, each with a letter or a digit`;
export const WORDS_MESSAGE = `must have 1 to ${QUERY_WORDS_MAX} different words of letters or digits`;
