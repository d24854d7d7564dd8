import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { functionsIn, namelessFactoriesIn, withSyntax } from './support/syntax/syntax.js';

/** Who may import whom, and which packages each room may use. Anything not listed is forbidden. */
const ROOMS: Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }> = {
  domain: { rooms: [], packages: [] },
  application: { rooms: ['domain'], packages: [] },
  'adapters/caching': { rooms: ['application', 'domain'], packages: ['lru-cache'] },
  'adapters/cluster': { rooms: ['application'], packages: ['prom-client'] },
  // Compiled by itself, for browsers: it sees nothing of the service.
  'adapters/dashboard/browser': { rooms: [], packages: ['uplot'] },
  'adapters/dashboard': {
    rooms: ['application', 'domain'],
    packages: ['koa', '@koa/router', 'preact', 'preact-render-to-string'],
  },
  'adapters/http': {
    rooms: ['application', 'domain'],
    packages: [
      'koa',
      '@koa/router',
      'koa-compose',
      'ajv/dist/2020.js',
      'ajv-formats',
      'etag',
      'ipaddr.js',
      'lru-cache',
      'negotiator',
      'raw-body',
    ],
  },
  'adapters/identity': { rooms: ['application', 'domain', 'settings'], packages: ['openid-client'] },
  'adapters/import': { rooms: ['application', 'domain'], packages: ['cli-progress'] },
  'adapters/mail': { rooms: ['application', 'domain'], packages: ['nodemailer'] },
  'adapters/memory': { rooms: ['application', 'domain'], packages: [] },
  'adapters/postgres': { rooms: ['application', 'domain', 'settings'], packages: ['knex', 'pg'] },
  'adapters/postgres-server': { rooms: [], packages: [] },
  'adapters/redis': { rooms: ['application', 'domain'], packages: ['redis'] },
  'adapters/resilience': { rooms: ['application', 'domain'], packages: [] },
  'adapters/sample': { rooms: ['domain'], packages: [] },
  'adapters/stripe': { rooms: ['application', 'domain'], packages: ['stripe', 'lru-cache'] },
  'adapters/system': {
    rooms: ['application', 'domain', 'settings'],
    packages: ['pino', 'pino-pretty', 'prom-client'],
  },
  settings: { rooms: ['domain'], packages: [] },
  composition: {
    rooms: ['domain', 'application', 'adapters', 'settings'],
    packages: ['tsyringe', 'reflect-metadata'],
  },
  process: { rooms: ['domain', 'application', 'adapters', 'settings', 'composition'], packages: ['pino'] },
  commands: {
    rooms: ['domain', 'application', 'adapters', 'settings', 'composition', 'process'],
    packages: [],
  },
};

/** Of the packages, what one file alone may use. */
const ONE_FILE: Record<string, string> = {
  tsyringe: 'composition/container.ts',
  'reflect-metadata': 'composition/container.ts',
};

const COMPOSITION_LINES_MAX = 1_000;
const FOLDER_FILES_MAX = 15;

const project = resolve(import.meta.dirname, '../..');
const src = join(project, 'src');
const read = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const files = read(src);
const sources = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]));
const roomOf = (path: string) =>
  Object.keys(ROOMS).find((room) => relative(src, path).startsWith(`${room}/`));

const importsOf = (source: string) =>
  [...source.matchAll(/\b(?:from\s+|import\s+|import\()'([^']+)'/g)].map(([, specifier]) => specifier ?? '');

describe('The architecture', () => {
  it('puts every source file into a room, and leaves no room empty', () => {
    const homeless = files.filter((file) => file !== 'main.ts' && roomOf(join(src, file)) === undefined);
    expect(homeless).to.deep.equal([]);
    expect(new Set(files.map((file) => roomOf(join(src, file))))).to.include.all.keys(Object.keys(ROOMS));
  });

  it('keeps at most nine names in src', () => {
    expect(readdirSync(src)).to.have.length.at.most(9);
  });

  it(`keeps every folder of src within ${FOLDER_FILES_MAX} files`, () => {
    const all = readdirSync(src, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const counts = new Map<string, number>();
    for (const { parentPath } of all) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
    const full = [...counts].filter(([, count]) => count > FOLDER_FILES_MAX);
    expect(full.map(([folder, count]) => `${relative(src, folder)}: ${count}`)).to.deep.equal([]);
  });

  const composition = [...sources].filter(([file]) => file.startsWith('composition/'));
  const lines = composition.reduce((sum, [, source]) => sum + source.split('\n').length - 1, 0);
  it(`keeps src/composition within ${COMPOSITION_LINES_MAX} lines: it has ${lines}`, () => {
    expect(lines).to.be.greaterThan(0).and.at.most(COMPOSITION_LINES_MAX);
  });

  for (const [file, source] of sources) {
    it(`lets ${file} import only what its room may`, () => {
      const forbidden = importsOf(source).filter((specifier) => !mayImport(file, specifier));
      expect(forbidden).to.deep.equal([]);
    });
  }

  it('keeps every source file within 300 lines', () => {
    const long = [...sources].filter(([, source]) => source.split('\n').length > 301).map(([file]) => file);
    expect(long).to.deep.equal([]);
  });

  it('keeps every function in src, bench and scripts within 50 lines, blanks and comments counted', () => {
    const programs = ['src', 'bench', 'scripts'].flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(tsx?|mjs)$/.test(file))
        .map((file) => join(folder, file)),
    );
    const long: string[] = [];
    let count = 0;
    withSyntax(programs, (file, syntax) => {
      for (const { firstLine, lines } of functionsIn(syntax)) {
        count += 1;
        if (lines <= 50) continue;
        long.push(`${file}:${firstLine}, ${lines} lines`);
      }
    });
    expect(count).to.be.above(1_000);
    expect(long).to.deep.equal([]);
  });

  it('makes use cases named functions or classes, so that a definition and a stack trace name them', () => {
    const useCases = files.filter((file) => /^application\/(?!ports\/)/.test(file));
    const nameless: string[] = [];
    withSyntax(
      useCases.map((file) => join('src', file)),
      (file, syntax) => {
        nameless.push(...namelessFactoriesIn(syntax).map((name) => `${file}: ${name}`));
      },
    );
    expect(nameless).to.deep.equal([]);
  });

  it('gives every file of the domain that exports a value a spec of its own name', () => {
    const specs = read(join(project, 'test/domain'));
    const withValues = [...sources].filter(
      ([file, source]) => file.startsWith('domain/') && exportsOf(source).length > 0,
    );
    expect(withValues).to.have.length.above(30);
    const without = withValues
      .map(([file]) => relative('domain', file))
      .filter((file) => !specs.includes(file.replace(/\.ts$/, '.spec.ts')));
    expect(without).to.deep.equal([]);
  });

  it('indexes no table whose names are open: `ownValue` does not find what every object inherits', () => {
    const tablesIn = (source: string) => [...source.matchAll(OPEN_TABLE)].map(([, name]) => name ?? '');
    expect([...sources.values()].flatMap(tablesIn)).to.include.members(['DONE_TEXT', 'FACTS', 'MESSAGES']);
    const indexing = [...sources].filter(([, source]) => {
      const tables = tablesIn(source);
      return tables.length > 0 && new RegExp(`\\b(?:${tables.join('|')})\\[`).test(source);
    });
    expect(indexing.map(([file]) => file)).to.deep.equal([]);
  });

  it('exports no value that nobody imports', () => {
    const tests = read(join(project, 'test')).map((file) =>
      readFileSync(join(project, 'test', file), 'utf8'),
    );
    const unused = [...sources].flatMap(([file, source]) => {
      const others = [...sources].filter(([other]) => other !== file).map(([, text]) => text);
      return exportsOf(source).filter((name) => ![...others, ...tests].some((text) => mentions(text, name)));
    });
    expect(unused).to.deep.equal([]);
  });
});

function mayImport(file: string, specifier: string): boolean {
  const path = join(src, file);
  const room = roomOf(path);
  if (room === undefined) return specifier.startsWith('.') || specifier.startsWith('node:');
  const { rooms, packages } = ROOMS[room] ?? { rooms: [], packages: [] };
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:')) return mayUseNode(room);
    return packages.includes(specifier) && file === (ONE_FILE[specifier] ?? file);
  }
  const target = roomOf(resolve(path, '..', specifier)) ?? '';
  return target === room || rooms.some((allowed) => target === allowed || target.startsWith(`${allowed}/`));
}

const mayUseNode = (room: string) => !['domain', 'application', 'adapters/dashboard/browser'].includes(room);

const exportsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );

/** A constant that may be indexed by any text, as far as the compiler knows. */
const OPEN_TABLE = /^(?:export )?const (\w+): (?:Readonly<)?Record<string,/gm;

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
