import { CHAPTERS, type Chapter, chapterPath } from './chapters.js';
import type { RenderedText, Section } from './markdown.js';
import { PageFrame } from './page-frame.js';

type Props = {
  readonly chapter: Chapter;
  readonly text: RenderedText;
  readonly publicUrl: string;
};

/** A chapter of the documentation. */
export const ChapterPage = ({ chapter, text, publicUrl }: Props) => {
  const path = chapterPath(chapter);
  return (
    <PageFrame
      title={`${chapter.title} · Oddswire documentation`}
      summary={chapter.summary}
      address={`${publicUrl}${path}`}
      markdown={markdownPath(chapter)}
      modules={['copy.js', 'try-it.js']}
      active="/docs"
    >
      <div class="book">
        <main id="content">
          <a class="to-chapters" href="#chapters">
            All chapters
          </a>
          <h1>{text.title}</h1>
          <article class="prose" dangerouslySetInnerHTML={{ __html: text.html }} />
          <Neighbours chapter={chapter} />
        </main>
        <nav id="chapters" class="chapters" aria-label="Chapters">
          <ol>
            {CHAPTERS.map((one) => (
              <li key={one.slug}>
                <a href={chapterPath(one)} aria-current={one.slug === chapter.slug ? 'page' : undefined}>
                  {one.title}
                </a>
                {one.slug === chapter.slug && <Contents sections={text.sections} />}
              </li>
            ))}
          </ol>
        </nav>
      </div>
    </PageFrame>
  );
};

export const markdownPath = ({ slug }: Chapter): string => `/docs/${slug}.md`;

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
