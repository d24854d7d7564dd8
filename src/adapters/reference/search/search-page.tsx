import { chapterPath } from '../chapters.js';
import { PageFrame } from '../page-frame.js';
import { FOUND_MAX, type FoundSection } from './document-search.js';
import { SearchForm } from './search-form.js';

type Props = {
  /** The query, without keys. */
  readonly typed: string;
  readonly found: readonly FoundSection[];
  readonly support: string | undefined;
};

/** What a search of the documentation found. */
export const SearchPage = ({ typed, found, support }: Props) => (
  <PageFrame
    title="Search · Oddswire documentation"
    summary="Search of the documentation."
    active="/docs"
    support={support}
  >
    <main id="content" class="front">
      <h1>Search</h1>
      <SearchForm typed={typed} />
      {typed !== '' && <p role="status">{countText(found.length)}</p>}
      {found.length > 0 && (
        <ol class="found">
          {found.map(({ chapter, id, heading, excerpt }) => (
            <li key={`${chapter.slug} ${id}`}>
              <a href={`${chapterPath(chapter)}${id === null ? '' : `#${id}`}`}>{heading}</a>
              {id !== null && <span class="quiet"> in {chapter.title}</span>}
              <p>{excerpt}</p>
            </li>
          ))}
        </ol>
      )}
      <p>
        <a href="/docs">All chapters</a>
      </p>
    </main>
  </PageFrame>
);

function countText(count: number): string {
  if (count === 0) return 'No section has all of these words. Try fewer or shorter ones.';
  if (count >= FOUND_MAX) return `The best ${FOUND_MAX} sections.`;
  return count === 1 ? '1 section.' : `${count} sections.`;
}
