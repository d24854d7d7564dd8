/** Of a longer word the first 32 characters count. A text without spaces is therefore found by its beginning only. */
const WORD = /([\p{L}\p{Nd}]{1,32})[\p{L}\p{Nd}]*/gu;

/**
 * The pattern of each text with a word. The decomposition (NFKD) makes letters and digits also of some other numbers and
 * symbols, such as `½` and `℃`.
 */
export const WORDS_PATTERN = '[\\p{L}\\p{N}\\p{Sc}\\p{So}]';

const MARKS = /\p{M}+/gu;

/** The different words of a text: letters and digits, without marks, in lower case (D57). At most `max` of them. */
export function wordsOf(text: string, max: number): ReadonlySet<string> {
  const plain = text.normalize('NFKD').replaceAll(MARKS, '').toLowerCase();
  const found = new Set<string>();
  for (const [, word = ''] of plain.matchAll(WORD)) {
    if (found.size === max) break;
    found.add(word);
  }
  return found;
}
