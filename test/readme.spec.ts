import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';

const project = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(project, file), 'utf8');

describe('README.md', () => {
  const readme = read('README.md');

  it('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).to.be.at.most(120);
  });

  it('shows only pictures that exist', () => {
    const pictures = [...readme.matchAll(/<img src="([^"]+)"/g)].map(([, path = '']) => path);
    expect(pictures.length).to.be.greaterThan(0);
    expect(pictures.filter((path) => !existsSync(join(project, path)))).to.deep.equal([]);
  });

  it('links to every document', () => {
    const documents = readdirSync(join(project, 'docs')).filter((file) => file.endsWith('.md'));
    expect(documents.filter((file) => !readme.includes(`](docs/${file})`))).to.deep.equal([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it('has a glossary of at most 40 lines, in alphabetical order, with one row for each term', () => {
    const [, from = ''] = read('CONTRIBUTING.md').split('\n## Glossary\n');
    const [glossary = ''] = from.split('\n## ');
    expect(glossary.trim().split('\n').length).to.be.at.most(40);
    const cells = [...glossary.matchAll(/^\| (?!term )([a-z][^|]*) \|/gm)].map(([, cell = '']) => cell);
    expect(cells.length).to.be.greaterThan(20);
    expect(cells).to.deep.equal([...cells].sort());
    const terms = cells.flatMap((cell) => cell.split(', '));
    expect(terms.filter((term, i) => terms.indexOf(term) !== i)).to.deep.equal([]);
  });
});

for (const { page, least } of [
  { page: 'README.md', least: 10 },
  { page: 'CONTRIBUTING.md', least: 20 },
  { page: 'docs/architecture.md', least: 30 },
]) {
  describe(page, () => {
    it('names only files and folders that exist', () => {
      const named = [...read(page).matchAll(/`((?:src|test|docs|\.ci)\/[\w./-]+)`/g)].map(
        ([, path = '']) => path,
      );
      expect(named.length).to.be.at.least(least);
      expect(named.filter((path) => !existsSync(join(project, path)))).to.deep.equal([]);
    });
  });
}

describe('docs/dependencies.md', () => {
  it('lists exactly the packages of package.json, and marks dev and optional ones', () => {
    const rows = [
      ...read('docs/dependencies.md').matchAll(/^\| (?!package |-)([^|]+?)( \((?:dev|optional)\))? \|/gm),
    ];
    const named = rows.flatMap(([, names = '', mark = '']) =>
      names.split(/, | and /).map((name) => `${name}${mark}`),
    );
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      read('package.json'),
    ) as Record<string, Record<string, string>>;
    const marked = (packages: Record<string, string> = {}, mark: string) =>
      Object.keys(packages).map((name) => `${name}${mark}`);
    const isTypes = (name: string) => name.startsWith('@types/');
    expect([...new Set(named)].filter((name) => !isTypes(name))).to.have.members(
      [
        ...marked(dependencies, ''),
        ...marked(devDependencies, ' (dev)'),
        ...marked(optionalDependencies, ' (optional)'),
      ].filter((name) => !isTypes(name)),
    );
  });
});

describe('Each document', () => {
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'docs/architecture.md',
    'docs/dependencies.md',
    'docs/settings.md',
  ]) {
    it(`states its readers in the first paragraph: ${page}`, () => {
      const [title = '', first = ''] = read(page).split('\n\n');
      expect(title).to.match(/^# .+$/);
      expect(first).to.match(/\bis for\b/);
    });
  }
});

describe('docs/limits.md', () => {
  it('names an existing test in each row about clients without a key, and about pages', () => {
    // One test makes the calls of the last table.
    const [unauthenticated = ''] = read('docs/limits.md').split('## Calls with a key');
    const rows = unauthenticated.split('\n');
    const limits = rows.filter(
      (line) => line.startsWith('|') && !/^\|(?: an unauthenticated client| the holder can|-)/.test(line),
    );
    expect(limits.length).to.be.greaterThan(25);
    const untested = limits.filter((row) => {
      const tests = row.match(/test\/[\w/-]+\.spec\.ts/g) ?? [];
      return tests.length === 0 || tests.some((test) => !existsSync(join(project, test)));
    });
    expect(untested).to.deep.equal([]);
  });
});
