import { QUERY_WORDS_MAX } from '../../domain/feed/filters/filter-values.js';
import { searchWords, wordsOfQuestion } from '../../domain/feed/filters/question-words.js';
import type { Query } from './api.js';
import type { ToolError } from './tool-error.js';

/** The newest entries whose words show which words of a question are rare. */
const SAMPLE_LIMIT = 100;

/** A query with a `q` that the API takes, and its words. */
type Question = { readonly query: Query; readonly queryWords: readonly string[] };

/** The texts of entries, or why there are none. */
export type Texts = { readonly texts: readonly string[] } | { readonly error: ToolError };

/**
 * Reads a `q`, which can be a whole question. Of more words than the API takes, those count that `searchWords` chooses. It
 * compares them with the newest entries that the other arguments pass. `readTexts` reads these, which takes a permit.
 */
export async function questionOf(
  query: Query,
  readTexts: (sample: Query) => Promise<Texts>,
): Promise<Question | { readonly error: ToolError }> {
  const { q, cursor: _, ...filters } = query;
  if (q === undefined) return { query, queryWords: [] };
  const queryWords = wordsOfQuestion(q);
  if (queryWords.length <= QUERY_WORDS_MAX) return { query, queryWords };
  const read = await readTexts({ ...filters, limit: String(SAMPLE_LIMIT) });
  if ('error' in read) return read;
  const chosen = searchWords(queryWords, read.texts);
  return { query: { ...query, q: chosen.join(' ') }, queryWords: chosen };
}
