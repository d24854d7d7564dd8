import { QUERY_WORDS_MAX } from '../filters/filter-values.js';
import { wordsOfQuestion } from '../filters/question-words.js';
import { type MarketRow, titleWords } from './market-row.js';

/** A text that somebody is typing: its complete words, and the beginning of its last one. */
export type TypedMarket = { readonly queryWords: readonly string[]; readonly beginning: string };

/** Fewer letters would suggest everything. */
const LETTERS_MIN = 2;
/** Null for a text whose last word is too short to suggest anything. */
export function typedMarketOf(text: string): TypedMarket | null {
  const all = wordsOfQuestion(text);
  const beginning = all.at(-1);
  if (beginning === undefined || beginning.length < LETTERS_MIN) return null;
  // Those that were typed last.
  return { queryWords: all.slice(0, -1).slice(-QUERY_WORDS_MAX), beginning };
}

/** Whether a market with the complete words has a word that begins so. */
export const isSuggested = ({ beginning }: TypedMarket, { facts }: MarketRow): boolean =>
  [...titleWords(facts)].some((word) => word.startsWith(beginning));
