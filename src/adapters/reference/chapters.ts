/** A chapter of the documentation: its path below `/docs`, and the file of its text below `docs`. */
export type Chapter = {
  readonly slug: string;
  readonly title: string;
  readonly file: string;
  /** What a reader finds in it, for lists of chapters. */
  readonly summary: string;
};

/** The chapters in the order in which they are read. The first one is `/docs` itself. */
// biome-ignore format: a table is read by its columns
export const CHAPTERS = [
  { slug: 'quickstart',     title: 'Quickstart',        file: 'reference/quickstart.md',     summary: 'From a key to the first item, in curl, JavaScript and Python.' },
  { slug: 'authentication', title: 'Authentication',    file: 'reference/authentication.md', summary: 'Where the key goes, its states, and how to rotate it.' },
  { slug: 'sandbox',        title: 'Sandbox',           file: 'reference/sandbox.md',        summary: 'A feed of invented stories, without an account, and every error on demand.' },
  { slug: 'paging',         title: 'Paging',            file: 'reference/paging.md',         summary: 'Read all pages, and do not read the same page twice.' },
  { slug: 'following',      title: 'Follow the feed',   file: 'reference/following.md',      summary: 'Ask every few seconds, or be sent each change within a second.' },
  { slug: 'stream',         title: 'The live stream',   file: 'live.md',                     summary: 'Complete programs for the stream, its messages, and what you can rely on.' },
  { slug: 'webhooks',       title: 'Webhooks, alerts and feeds', file: 'webhooks.md',        summary: 'Have the changes sent to you: by webhook, in Slack or Discord, by email, as Atom.' },
  { slug: 'client',         title: 'TypeScript client', file: 'reference/client.md',         summary: 'The npm package: walk, follow without a gap, errors by code.' },
  { slug: 'command-line',   title: 'Command line',      file: 'reference/command-line.md',   summary: 'The program oddswire: read, follow and export the feed in a terminal or a script.' },
  { slug: 'python',         title: 'Python client',     file: 'reference/python.md',         summary: 'The package for Python: walk, follow without a gap, tables, and a command.' },
  { slug: 'filters',        title: 'Filters',           file: 'reference/filters.md',        summary: 'Read only some markets, categories, sources or words.' },
  { slug: 'history',        title: 'History',           file: 'reference/history.md',        summary: 'The feed as it was, every change with the time it became known, and backtests.' },
  { slug: 'markets',        title: 'Markets',           file: 'reference/markets.md',        summary: 'The markets of the feed, and how to find one by its URL, id or token.' },
  { slug: 'agents',         title: 'Agents',            file: 'reference/agents.md',         summary: 'Tools for language models, over MCP: how to connect, and what a call costs.' },
  { slug: 'limits',         title: 'Limits and headers', file: 'reference/limits.md',        summary: 'The limits of each plan, and the headers that state what is left.' },
  { slug: 'errors',         title: 'Errors',            file: 'reference/errors.md',         summary: 'Every error code with its cause and its remedy.' },
  { slug: 'fields',         title: 'Fields',            file: 'reference/fields.md',         summary: 'Every field of an item, a message and an error, with its unit.' },
  { slug: 'reference',      title: 'API reference',     file: 'reference/reference.md',      summary: 'Every call with its parameters and answers; send requests from the page.' },
  { slug: 'changelog',      title: 'Changelog',         file: 'reference/changelog.md',      summary: 'What changed for users of the API.' },
] as const satisfies readonly Chapter[];

const [FIRST] = CHAPTERS;
const MARKDOWN = '.md';

export const chapterPath = ({ slug }: Chapter): string => (slug === FIRST.slug ? '/docs' : `/docs/${slug}`);

/** The chapter that the last part of a path names, as a page or as Markdown; null if there is none. */
export function readChapter(
  name: string,
): { readonly chapter: Chapter; readonly isMarkdown: boolean } | null {
  const isMarkdown = name.endsWith(MARKDOWN);
  const wanted = isMarkdown ? name.slice(0, -MARKDOWN.length) : name;
  const chapter = CHAPTERS.find(({ slug }) => slug === wanted);
  return chapter === undefined ? null : { chapter, isMarkdown };
}

/** A chapter by its file, as other texts link to it. */
export function chapterOfFile(link: string): Chapter | null {
  const name = link.split('/').at(-1);
  return CHAPTERS.find(({ file }) => file.split('/').at(-1) === name) ?? null;
}

export function pathOfFile(link: string): string | null {
  const chapter = chapterOfFile(link);
  return chapter === null ? null : chapterPath(chapter);
}
