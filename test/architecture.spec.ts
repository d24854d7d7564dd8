// Longer than 300 lines: the table of allowed imports is part of it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { files, filesIn, importsOf, project, sources, src } from './support/syntax/sources.js';
import { functionsIn, namelessFactoriesIn, withSyntax } from './support/syntax/syntax.js';

/** The folders and packages that each folder may import. Every other import is forbidden. */
const FOLDERS: Record<string, { readonly folders: readonly string[]; readonly packages: readonly string[] }> =
  {
    domain: { folders: [], packages: [] },
    application: { folders: ['domain'], packages: [] },
    // Calls to servers that share queries and commands.
    'adapters/batching': { folders: [], packages: [] },
    'adapters/caching': { folders: ['application', 'domain', 'adapters/listeners'], packages: ['lru-cache'] },
    'adapters/cluster': { folders: ['application'], packages: ['prom-client'] },
    // Compiled separately, for browsers: it imports no code of the service.
    'adapters/dashboard/browser': { folders: [], packages: ['uplot'] },
    'adapters/dashboard': {
      folders: ['application', 'domain'],
      packages: ['koa', '@koa/router', 'preact', 'preact/hooks', 'preact-render-to-string'],
    },
    // Code that exists for a measured gain only. Each file states the gain, and when to delete it.
    'adapters/fast-paths': {
      folders: ['domain', 'adapters/http', 'adapters/live'],
      packages: [],
    },
    // What a destination gets: signatures, and texts for chat, email and Atom.
    'adapters/destinations': { folders: ['application', 'domain'], packages: [] },
    'adapters/http': {
      folders: [
        'application',
        'domain',
        'adapters/destinations',
        'adapters/fast-paths',
        'adapters/live',
        'adapters/tracing',
      ],
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
    // Faults of servers, as an operator must know them: for the start of the service and for the doctor.
    'adapters/findings': { folders: ['domain'], packages: [] },
    'adapters/identity': {
      folders: ['application', 'domain', 'settings', 'adapters/tracing'],
      packages: ['openid-client'],
    },
    'adapters/import': { folders: ['application', 'domain'], packages: ['cli-progress'] },
    'adapters/listeners': { folders: [], packages: [] },
    'adapters/live': {
      folders: ['application', 'domain', 'adapters/batching', 'adapters/fast-paths', 'adapters/listeners'],
      packages: ['ws', 'lru-cache'],
    },
    'adapters/mail': {
      folders: ['application', 'domain', 'adapters/destinations'],
      packages: ['nodemailer'],
    },
    // The MCP server: over the functions that answer the REST API, or over the REST API.
    'adapters/mcp': {
      folders: ['application', 'domain', 'adapters/http', 'packages/client'],
      packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
    },
    'adapters/memory': { folders: ['application', 'domain', 'adapters/listeners'], packages: [] },
    // The only code that opens connections to addresses that customers choose.
    'adapters/outgoing': {
      folders: ['application', 'domain', 'adapters/resilience'],
      packages: ['ipaddr.js'],
    },
    'adapters/postgres': {
      folders: [
        'application',
        'domain',
        'settings',
        'adapters/batching',
        'adapters/findings',
        'adapters/listeners',
      ],
      packages: ['knex', 'pg'],
    },
    'adapters/postgres-server': { folders: [], packages: [] },
    'adapters/redis': {
      folders: ['application', 'domain', 'adapters/batching', 'adapters/listeners'],
      packages: ['redis'],
    },
    // The documentation: from the OpenAPI document, with the components of the dashboard.
    'adapters/reference': {
      folders: ['application', 'domain', 'adapters/dashboard', 'adapters/http'],
      packages: [
        'highlight.js/lib/core',
        'highlight.js/lib/languages/bash',
        'highlight.js/lib/languages/javascript',
        'highlight.js/lib/languages/json',
        'highlight.js/lib/languages/python',
        'highlight.js/lib/languages/typescript',
        'marked',
        'preact',
        'preact-render-to-string',
      ],
    },
    'adapters/resilience': { folders: ['application', 'domain', 'adapters/listeners'], packages: [] },
    // The computed feed of sandbox keys (D77).
    'adapters/sandbox': { folders: ['application', 'domain'], packages: [] },
    // The invented stories, as files.
    'adapters/stories': { folders: ['domain'], packages: [] },
    'adapters/stripe': {
      folders: ['application', 'domain', 'adapters/tracing'],
      packages: ['stripe', 'lru-cache'],
    },
    'adapters/system': {
      folders: ['application', 'domain', 'settings', 'adapters/listeners', 'adapters/tracing'],
      packages: ['pino', 'pino-pretty', 'prom-client'],
    },
    // The packages are optional: only a service with TRACES_URL loads them.
    'adapters/tracing': {
      folders: ['domain'],
      packages: [
        '@opentelemetry/api',
        '@opentelemetry/sdk-trace',
        '@opentelemetry/resources',
        '@opentelemetry/exporter-trace-otlp-http',
      ],
    },
    // Measures for the doctor command, with the clients that the service uses.
    doctor: {
      folders: [
        'application',
        'domain',
        'adapters/findings',
        'settings',
        'adapters/identity',
        'adapters/mail',
        'adapters/postgres',
        'adapters/redis',
        'adapters/stripe',
        'adapters/system',
      ],
      packages: ['pg'],
    },
    settings: { folders: ['domain'], packages: ['ipaddr.js'] },
    composition: {
      folders: ['domain', 'application', 'adapters', 'settings'],
      packages: ['tsyringe', 'reflect-metadata'],
    },
    process: {
      folders: ['domain', 'application', 'adapters', 'settings', 'composition'],
      packages: ['pino'],
    },
    commands: {
      folders: [
        'domain',
        'application',
        'adapters',
        'settings',
        'composition',
        'process',
        'doctor',
        'packages/client',
      ],
      packages: [],
    },
  };

/** The packages that only one file may import. */
const ONE_FILE: Record<string, string> = {
  tsyringe: 'composition/container/container.ts',
  'reflect-metadata': 'composition/container/container.ts',
};

/** The client: it is compiled into `dist` with the service, because the packed service has no workspaces. */
const CLIENT = 'packages/client';

const folderOf = (path: string) =>
  relative(project, path).startsWith(`${CLIENT}/src/`)
    ? CLIENT
    : Object.keys(FOLDERS).find((folder) => relative(src, path).startsWith(`${folder}/`));

const staticImportsOf = (source: string) =>
  [...source.matchAll(/^(?:import|export) (?!type )[^;'(=]*'([^']+)'/gm)].map(
    ([, specifier = '']) => specifier,
  );

/** The source files that are loaded with a file, without those that it imports later. */
function loadedWith(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  for (const specifier of staticImportsOf(sources.get(file) ?? '')) {
    if (!specifier.startsWith('.')) continue;
    const name = relative(src, resolve(src, dirname(file), specifier)).replace(/\.js$/, '.ts');
    loadedWith(sources.has(name) ? name : `${name}x`, loaded);
  }
  return loaded;
}

describe('The architecture', () => {
  it('lists the folder of every source file, and no folder without files', () => {
    const unlisted = files.filter((file) => file !== 'main.ts' && folderOf(join(src, file)) === undefined);
    expect(unlisted).to.deep.equal([]);
    expect(new Set(files.map((file) => folderOf(join(src, file))))).to.include.all.keys(Object.keys(FOLDERS));
  });

  it('has at most nine entries in src', () => {
    expect(readdirSync(src)).to.have.length.at.most(9);
  });

  for (const [file, source] of sources) {
    it(`lets ${file} import only what its folder may import`, () => {
      const forbidden = importsOf(source).filter((specifier) => !mayImport(file, specifier));
      expect(forbidden).to.deep.equal([]);
    });
  }

  it('loads the MCP library only when an agent first needs it', () => {
    const loading = [...sources].filter(([, source]) => /import\('@modelcontextprotocol/.test(source));
    expect(loading).to.have.length.at.least(2);
    const eager = [...sources].filter(([, source]) =>
      /^import (?!type ).*@modelcontextprotocol/m.test(source),
    );
    expect(eager.map(([file]) => file)).to.deep.equal([]);
  });

  it('loads the clients of Redis, Postgres and SMTP only for a service that has such a server', () => {
    const clients = ['redis', 'pg', 'knex', 'nodemailer'];
    const usesClient = (file: string) =>
      staticImportsOf(sources.get(file) ?? '').some((specifier) => clients.includes(specifier));
    expect(files.filter(usesClient)).to.have.length.at.least(4);
    const loaded = [...loadedWith('composition/compose.ts')];
    expect(loaded).to.have.length.at.least(200);
    expect(loaded.filter(usesClient)).to.deep.equal([]);
  });

  it('has at most 300 lines in each source file, or a reason in its first line', () => {
    const long = [...sources].filter(([, source]) => source.split('\n').length > 301);
    const withoutReason = long.filter(([, source]) => !/^\/\/ Longer than 300 lines: .+\./.test(source));
    expect(withoutReason.map(([file]) => file)).to.deep.equal([]);
  });

  it('has at most 50 lines, blanks and comments counted, in each function of our programs', () => {
    const programs = ['src', 'bench', 'scripts', 'examples', 'packages/client/src'].flatMap((folder) =>
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

  it('defines each use case as a named function or class, for stack traces and definition finders', () => {
    const useCases = files.filter((file) => /^application\/(?!ports\/)/.test(file));
    const unnamed: string[] = [];
    withSyntax(
      useCases.map((file) => join('src', file)),
      (file, syntax) => {
        unnamed.push(...namelessFactoriesIn(syntax).map((name) => `${file}: ${name}`));
      },
    );
    expect(unnamed).to.deep.equal([]);
  });

  it('has a spec of the same name for every domain file that exports a value', () => {
    const specs = filesIn(join(project, 'test/domain'));
    const withValues = [...sources].filter(
      ([file, source]) => file.startsWith('domain/') && exportsOf(source).length > 0,
    );
    expect(withValues).to.have.length.above(30);
    const without = withValues
      .map(([file]) => relative('domain', file))
      .filter((file) => !specs.includes(file.replace(/\.ts$/, '.spec.ts')));
    expect(without).to.deep.equal([]);
  });

  it('reads tables with arbitrary keys by `ownValue`, which ignores inherited properties', () => {
    const tablesIn = (source: string) => [...source.matchAll(OPEN_TABLE)].map(([, name]) => name ?? '');
    expect([...sources.values()].flatMap(tablesIn)).to.include.members(['DONE_TEXT', 'FACTS', 'MESSAGES']);
    const indexing = [...sources].filter(([, source]) => {
      const tables = tablesIn(source);
      return tables.length > 0 && new RegExp(`\\b(?:${tables.join('|')})\\[`).test(source);
    });
    expect(indexing.map(([file]) => file)).to.deep.equal([]);
  });

  it('exports no value that no other file imports', () => {
    const tests = filesIn(join(project, 'test')).map((file) =>
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
  const folder = folderOf(path);
  if (folder === undefined) return specifier.startsWith('.') || specifier.startsWith('node:');
  const { folders, packages } = FOLDERS[folder] ?? { folders: [], packages: [] };
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:')) return mayUseNode(folder);
    return packages.includes(specifier) && file === (ONE_FILE[specifier] ?? file);
  }
  const target = folderOf(resolve(path, '..', specifier)) ?? '';
  return (
    target === folder || folders.some((allowed) => target === allowed || target.startsWith(`${allowed}/`))
  );
}

const mayUseNode = (folder: string) =>
  !['domain', 'application', 'adapters/dashboard/browser'].includes(folder);

const exportsOf = (source: string): readonly string[] =>
  [...source.matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );

/** Matches a constant that the compiler lets any string index. */
const OPEN_TABLE = /^(?:export )?const (\w+): (?:Readonly<)?Record<string,/gm;

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
