import { QUERY_WORDS_MAX } from './filter-values.js';
import { wordsOf } from './text-words.js';

/** The most words of a question that are looked at, and of a text that they are compared with. */
const QUESTION_WORDS_MAX = 100;
const TEXT_WORDS_MAX = 10_000;

/** Words of English questions about markets that do not say which market. Without them, an entry about another one could have more words. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  [
    ...['a an the of in on at by to for from with about and or not if than as into over between'],
    ...['is are was were be been do does did has have had can could will would should may might'],
    ...['what who whom which when where why how much many any all some it its this that these those there'],
    ...['i me my we you tell show give find say says said happen happened happening'],
    ...['market markets odds price prices chance chances probability news latest newest'],
    ...['move moved moves moving change changed changes today yesterday now recently'],
  ].flatMap((line) => line.split(' ')),
);

/** All words of a question, as `q` compares words. More than `QUERY_WORDS_MAX` of them cannot be searched for at once. */
export const wordsOfQuestion = (question: string): readonly string[] => [
  ...wordsOf(question, QUESTION_WORDS_MAX),
];

/**
 * The words of a question that are searched for: at most `QUERY_WORDS_MAX`, the rarest first. The texts are those of recent
 * entries. Of the words of a question, some occur in no entry, and others occur in many without saying what it is about. The
 * entry with the greatest weight is therefore the one that the question is about, as far as the texts tell, and only its
 * words count: all of them occur together, so a search for them finds it. The weight of a word is its inverse document
 * frequency. If no text has a word of the question, the longest words count.
 */
export function searchWords(question: readonly string[], texts: readonly string[]): readonly string[] {
  const telling = question.filter((word) => !EMPTY_WORDS.has(word));
  const queryWords = telling.length > 0 ? telling : question;
  const entries = texts.map((text) => {
    const own = wordsOf(text, TEXT_WORDS_MAX);
    return queryWords.filter((word) => own.has(word));
  });
  const counts = new Map<string, number>();
  for (const word of entries.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (word: string): number => Math.log(1 + texts.length / (counts.get(word) ?? 1));
  const weightOf = (entry: readonly string[]): number => entry.reduce((sum, word) => sum + weight(word), 0);
  const best = entries.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one), []);
  const ranked =
    best.length > 0
      ? best.toSorted((one, other) => weight(other) - weight(one))
      : queryWords.toSorted((one, other) => other.length - one.length);
  return ranked.slice(0, QUERY_WORDS_MAX);
}
