/** Of a longer word these characters count. A text without spaces is therefore found by its beginning only. */
const WORD_MAX = 32;
const WORD = /[\p{L}\p{Nd}]+/gu;

/**
 * A pattern that each text with a word has: a character that is neither white space nor punctuation of ASCII. It has no
 * `\p{…}`, which generated clients do not understand.
 */
export const WORDS_PATTERN = '[^\\s!-/:-@\\[-`{-~]';

const MARKS = /\p{M}+/gu;

const plain = (text: string): string => text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase();

/** The different words of a text: letters and digits, without marks, in lower case (D57). At most `max` of them. */
export function wordsOf(text: string, max: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of wordListOf(text)) {
    if (found.size === max) break;
    found.add(word);
  }
  return found;
}

/** The words of a text in their order, also repeated ones. */
export const wordListOf = (text: string): readonly string[] =>
  (plain(text).match(WORD) ?? []).map((word) =>
    word.length <= WORD_MAX ? word : [...word].slice(0, WORD_MAX).join(''),
  );
