import type { Chapter } from '../chapters.js';

/** The text below one heading of a chapter. `id` is that of the heading; null before the first one. */
export type IndexedSection = {
  readonly chapter: Chapter;
  readonly id: string | null;
  readonly heading: string;
  readonly text: string;
  /** Both in lower case, as they are searched. */
  readonly folded: { readonly heading: string; readonly text: string };
};

export type FoundSection = Pick<IndexedSection, 'chapter' | 'id' | 'heading'> & {
  /** The text around the first word that was found. */
  readonly excerpt: string;
};

/** Longer texts are cut, and more words ignored: a search costs a few milliseconds. */
export const QUERY_LENGTH_MAX = 100;
const WORDS_MAX = 8;
export const FOUND_MAX = 20;

const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 200;

/** The scores of a word: in a heading, at the beginning of a word there, and for each occurrence in the text, up to five. */
const IN_HEADING = 10;
const BEGINS_WORD = 10;
const OCCURRENCES_MAX = 5;

const ENTITIES = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&#x27;', "'"],
]);

const textOf = (html: string): string =>
  html
    .replaceAll(/<(?:figcaption|button)[^>]*>.*?<\/(?:figcaption|button)>|<a class="anchor".*?<\/a>/gs, ' ')
    .replaceAll(/<\/(?:p|li|td|th|tr|pre|h\d|div|summary|label)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The sections of a rendered chapter: one for each heading with an id, and what is before the first. */
export function sectionsOf(chapter: Chapter, html: string): readonly IndexedSection[] {
  return html.split(/(?=<h[2-6] id=")/).map((piece) => {
    const [, id = null, headingHtml = ''] = /^<h[2-6] id="([^"]+)">(.*?)<\/h[2-6]>/s.exec(piece) ?? [];
    const heading = id === null ? chapter.title : textOf(headingHtml);
    const text = textOf(piece.replace(/^<h[2-6].*?<\/h[2-6]>/s, ''));
    const folded = { heading: heading.toLowerCase(), text: text.toLowerCase() };
    return { chapter, id, heading, text, folded };
  });
}

/** The words of a query in lower case. A code such as `key_revoked` is one word. */
export const queryTermsOf = (query: string): readonly string[] =>
  [
    ...new Set(
      query
        .slice(0, QUERY_LENGTH_MAX)
        .toLowerCase()
        .match(/[\p{L}\p{N}_-]+/gu) ?? [],
    ),
  ].slice(0, WORDS_MAX);

/** Sections that have every word, the best first: a word in a heading counts most. */
export function findSections(
  index: readonly IndexedSection[],
  terms: readonly string[],
): readonly FoundSection[] {
  if (terms.length === 0) return [];
  return index
    .map((section) => ({ section, score: scoreOf(section, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_MAX)
    .map(({ section: { chapter, id, heading, text, folded } }) => ({
      ...{ chapter, id, heading },
      excerpt: excerptOf(text, Math.min(...terms.map((word) => positionOf(folded.text, word)))),
    }));
}

/** 0 if a word is missing. */
function scoreOf({ folded: { heading, text } }: IndexedSection, terms: readonly string[]): number {
  let score = 0;
  for (const word of terms) {
    const at = heading.indexOf(word);
    const begins = at !== -1 && !/[\p{L}\p{N}]/u.test(heading.charAt(at - 1));
    const ofWord = (at === -1 ? 0 : IN_HEADING) + (begins ? BEGINS_WORD : 0) + occurrences(text, word);
    if (ofWord === 0) return 0;
    score += ofWord;
  }
  return score;
}

/** Up to `OCCURRENCES_MAX`: a letter occurs in a text a thousand times. */
function occurrences(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1 && count < OCCURRENCES_MAX; count += 1)
    at = text.indexOf(word, at + word.length);
  return count;
}

const positionOf = (text: string, word: string): number => {
  const at = text.indexOf(word);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
};

/** Whole words around a position. */
function excerptOf(text: string, at: number): string {
  const start = Number.isFinite(at) ? Math.max(0, at - EXCERPT_BEFORE) : 0;
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  const isWhole = from + EXCERPT_LENGTH >= text.length;
  return `${from > 0 ? '… ' : ''}${isWhole ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`}`;
}
