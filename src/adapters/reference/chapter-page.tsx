import { CHAPTERS, type Chapter, chapterPath } from './chapters.js';
import { type RenderedText, SECTIONS_ID, type Section } from './markdown.js';
import { PageFrame } from './page-frame.js';
import { SearchForm } from './search/search-form.js';

type Props = {
  readonly chapter: Chapter;
  readonly text: RenderedText;
  readonly publicUrl: string;
  readonly support: string | undefined;
};

/** A chapter of the documentation. */
export const ChapterPage = ({ chapter, text, publicUrl, support }: Props) => {
  const path = chapterPath(chapter);
  return (
    <PageFrame
      title={`${chapter.title} · Oddswire documentation`}
      summary={chapter.summary}
      address={`${publicUrl}${path}`}
      markdown={markdownPath(chapter)}
      modules={['copy.js', 'language-tabs.js', 'try-it.js']}
      active="/docs"
      support={support}
    >
      <div class="book">
        <main id="content">
          <SearchForm />
          <details class="chapters-menu">
            <summary>Chapters</summary>
            <nav aria-label="Chapters, as a menu">
              <ChapterList current={chapter} sections={[]} />
            </nav>
          </details>
          <h1>{text.title}</h1>
          <SectionsMenu sections={text.sections} />
          <article class="prose" dangerouslySetInnerHTML={{ __html: text.html }} />
          <Neighbours chapter={chapter} />
        </main>
        <nav class="chapters" aria-label="Chapters">
          <ChapterList current={chapter} sections={text.sections} />
        </nav>
      </div>
    </PageFrame>
  );
};

export const markdownPath = ({ slug }: Chapter): string => `/docs/${slug}.md`;

type ListProps = { readonly current: Chapter; readonly sections: readonly Section[] };

/** The sections of the chapter, where the list beside it is not displayed. Each section links back to it (`markdown.ts`). */
const SectionsMenu = ({ sections }: { readonly sections: readonly Section[] }) =>
  sections.length < 2 ? null : (
    <details class="sections-menu" id={SECTIONS_ID}>
      <summary>On this page</summary>
      <nav aria-label="Sections of this chapter">
        <Contents sections={sections} />
      </nav>
    </details>
  );

/** Beside the chapter on wide screens, and in a menu above it on narrow ones. One of the two is not displayed. */
const ChapterList = ({ current, sections }: ListProps) => (
  <ol>
    {CHAPTERS.map((one) => (
      <li key={one.slug}>
        <a href={chapterPath(one)} aria-current={one.slug === current.slug ? 'page' : undefined}>
          {one.title}
        </a>
        {one.slug === current.slug && sections.length > 0 && <Contents sections={sections} />}
      </li>
    ))}
  </ol>
);

const Contents = ({ sections }: { readonly sections: readonly Section[] }) => (
  <ul class="contents">
    {sections.map(({ id, title }) => (
      <li key={id}>
        <a href={`#${id}`}>{title}</a>
      </li>
    ))}
  </ul>
);

const Neighbours = ({ chapter }: { readonly chapter: Chapter }) => {
  const at = CHAPTERS.findIndex(({ slug }) => slug === chapter.slug);
  const [before, after] = [CHAPTERS[at - 1], CHAPTERS[at + 1]];
  return (
    <div class="neighbours">
      {before !== undefined && (
        <a rel="prev" href={chapterPath(before)}>
          <small>Previous</small> {before.title}
        </a>
      )}
      {after !== undefined && (
        <a rel="next" href={chapterPath(after)}>
          <small>Next</small> {after.title}
        </a>
      )}
    </div>
  );
};
