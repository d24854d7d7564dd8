import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const project = resolve(import.meta.dirname, '../..');
const FOLDERS = ['src', 'test', 'bench', 'scripts', 'docs', 'examples', 'packages/client/src'];
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'packages/client/README.md'];

const textsIn = (folder: string): readonly string[] =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|mjs|css|json|svg|md)$/.test(file))
    .map((file) => join(folder, file));

type Line = { readonly file: string; readonly where: string; readonly text: string };

const lines: readonly Line[] = [...FOLDERS.flatMap(textsIn), ...PAGES].flatMap((file) =>
  readFileSync(join(project, file), 'utf8')
    .split('\n')
    .map((text, i) => ({ file, where: `${file}:${i + 1}`, text })),
);

const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([match]) => match);

const NUMBER = /\d+(?:\.\d+)?/g;
const SECTIONS = /\bsections? \d+(?:\.\d+)?(?:(?:,| and| to| or)? \d+(?:\.\d+)?(?![\w.]))*/gi;

const sectionsCited = ({ text }: Line): readonly string[] =>
  matches(text, SECTIONS).flatMap((sections) => matches(sections, NUMBER));

const citedBy =
  (pattern: RegExp) =>
  ({ text }: Line): readonly string[] =>
    matches(text, pattern);

/** The kinds of citations, their patterns and their pages. A contract section may be uncited: it is for users. */
// biome-ignore format: a table is read by its columns
const KINDS = [
  { names: 'decisions',         page: 'docs/decisions.md',      entry: /^### (D\d+): /,         mayBeUncited: false, cited: citedBy(/(?<![\w%}])D[1-9]\d{0,2}\b/g) },
  { names: 'platform notes',    page: 'docs/platform-notes.md', entry: /^### (T\d+): /,         mayBeUncited: false, cited: citedBy(/(?<![\w}])T[1-9]\d?\b(?!:\d)/g) },
  { names: 'contract sections', page: 'docs/contract.md',       entry: /^##+ (\d+(?:\.\d+)?)\b/, mayBeUncited: true,  cited: sectionsCited },
] as const;

for (const { names, page, entry, mayBeUncited, cited } of KINDS) {
  const entries = lines
    .filter(({ file }) => file === page)
    .flatMap(({ text }) => entry.exec(text)?.slice(1) ?? []);
  const citations = lines
    .filter(({ file, text }) => file !== page || !entry.test(text))
    .flatMap((line) => cited(line).map((number) => ({ ...line, number })));

  describe(`The ${citations.length} citations of ${entries.length} ${names} (${page})`, () => {
    it('occur in code, tests and documents', () => {
      expect(entries.length).to.be.greaterThan(10);
      expect(new Set(citations.map(({ file }) => file)).size).to.be.greaterThan(20);
    });

    it('name only entries that exist', () => {
      const missing = citations.filter(({ number }) => !entries.includes(number));
      expect(missing.map(({ where, number }) => `${where}: ${number}`)).to.deep.equal([]);
    });

    it('are unambiguous: no two entries share a number', () => {
      expect(entries.filter((number, i) => entries.indexOf(number) !== i)).to.deep.equal([]);
    });

    if (!mayBeUncited) {
      it('cover every entry: each is cited outside its page', () => {
        const outside = new Set(citations.filter(({ file }) => file !== page).map(({ number }) => number));
        expect(entries.filter((number) => !outside.has(number))).to.deep.equal([]);
      });
    }
  });
}

describe('Comments, titles of tests and documents', () => {
  it('write `contract section 3.1`, and cite sections of no other document', () => {
    const ambiguous = lines.filter(
      ({ text }) => matches(text, SECTIONS).length > matches(text, /\bcontract sections? \d/gi).length,
    );
    expect(ambiguous.map(({ where, text }) => `${where}: ${text}`)).to.deep.equal([]);
  });

  it('name only source files and documents that exist', () => {
    const files = [...new Set(lines.map(({ file }) => file))];
    const named = lines.flatMap(({ where, text }) =>
      [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:tsx?|mjs|md))`/g)].map(([, path = '']) => ({
        where,
        path,
      })),
    );
    expect(named.length).to.be.greaterThan(50);
    const missing = named.filter(
      ({ path }) => !files.some((file) => file === path || file.endsWith(`/${path}`)),
    );
    expect(missing.map(({ where, path }) => `${where}: ${path}`)).to.deep.equal([]);
  });

  it('name only folders that exist', () => {
    const named = lines.flatMap(({ where, text }) =>
      [...text.matchAll(/`((?:src|test|bench|packages|scripts|stories|ops|docs)\/[\w./-]*)`/g)].map(
        ([, path = '']) => ({ where, path }),
      ),
    );
    expect(named.length).to.be.greaterThan(50);
    const missing = named.filter(({ path }) => !existsSync(resolve(project, path)));
    expect(missing.map(({ where, path }) => `${where}: ${path}`)).to.deep.equal([]);
  });

  it('name only code that exists, in the documents for developers', () => {
    const pages = ['docs/architecture.md', 'docs/rate-limits.md', 'CONTRIBUTING.md'];
    const code = lines.filter(({ file }) => !file.endsWith('.md')).map(({ text }) => text);
    const identifiers = new Set(code.flatMap((text) => text.match(/\w+/g) ?? []));
    const named = lines
      .filter(({ file }) => pages.includes(file))
      .flatMap(({ where, text }) =>
        [...text.matchAll(/`([A-Za-z]+)`/g)].map(([, name = '']) => ({ where, name })),
      )
      .filter(({ name }) => /[a-z][A-Z]/.test(name));
    expect(named.length).to.be.greaterThan(5);
    const missing = named.filter(({ name }) => !identifiers.has(name));
    expect(missing.map(({ where, name }) => `${where}: ${name}`)).to.deep.equal([]);
  });

  it('have at most 200 characters in a line of a document, rows of tables included', () => {
    const long = lines.filter(({ file, text }) => file.endsWith('.md') && text.length > 200);
    expect(long.map(({ where }) => where)).to.deep.equal([]);
  });

  it('refer to no folder outside the repository', () => {
    // An absolute path on a developer's machine, or a relative path out of the repository.
    const outside = lines.filter(({ text }) =>
      /(?:^|[\s`"'(=])\/(?:home|Users|root|mnt)\/|`\.\.\/[^`$]*`/.test(text),
    );
    expect(outside.map(({ where, text }) => `${where}: ${text}`)).to.deep.equal([]);
  });

  it('link only to files of the repository', () => {
    const links = lines
      .filter(({ file }) => file.endsWith('.md'))
      .flatMap(({ file, where, text }) =>
        [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map(([, path = '']) => ({
          where,
          target: resolve(project, dirname(file), path),
        })),
      );
    expect(links.length).to.be.greaterThan(5);
    const broken = links.filter(
      ({ target }) => relative(project, target).startsWith('..') || !existsSync(target),
    );
    expect(broken.map(({ where }) => where)).to.deep.equal([]);
  });
});
