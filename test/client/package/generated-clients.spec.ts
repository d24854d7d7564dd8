import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import * as zod from 'zod';
import { publicDocument } from '../../../src/adapters/http/openapi/public-document.js';
import { npm, PROJECT, run } from '../../support/client/packed.js';

type Answer = { readonly content: { readonly 'application/json': { readonly example: unknown } } };
type Document = {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly responses: { readonly 200: Answer } } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

const document = publicDocument({
  publicUrl: 'https://api.example.com',
  internalUrl: '',
  version: '0',
  isDemo: false,
}) as unknown as Document;

/** One schema with all others as its definitions, as generators of types and of validators read it. */
const rooted = (names: readonly string[]) => {
  const whole = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: document.components.schemas,
  };
  return JSON.parse(JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/')) as JSONSchema;
};

const NARROWED = `
import type { FeedPage, StreamBatch, StreamMessage } from './types.js';

export const idOf = (message: StreamMessage): string =>
  message.type === 'item' ? message.item.news_event.id : message.type === 'retraction' ? message.id : message.position;
export const idsOf = ({ messages }: StreamBatch): string[] =>
  messages.map((message) => (message.type === 'item' ? message.item.news_event.id : message.id));
export const lengthOf = ({ items }: FeedPage): number => items.length;
`;
const UNCHECKED = NARROWED.replace(
  "message.type === 'retraction' ? message.id",
  "message.type !== 'live' ? message.id",
);

const OPTIONS = [
  ...['--noEmit', '--strict', '--ignoreConfig', '--target', 'es2022'],
  ...['--module', 'esnext', '--moduleResolution', 'bundler'],
];

describe('Types that are generated from the OpenAPI document', function () {
  this.timeout(60_000);
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-types-'));
    const types = await compile(rooted(['FeedPage', 'StreamBatch', 'StreamMessage']), 'Root', {
      format: false,
    });
    writeFileSync(join(folder, 'types.ts'), types);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const faultsOf = async (program: string): Promise<string> => {
    writeFileSync(join(folder, 'program.ts'), program);
    const tsc = join(PROJECT, 'node_modules/.bin/tsc');
    return run(tsc, [...OPTIONS, 'program.ts'], { cwd: folder }).then(
      () => '',
      (fault: { readonly stdout: string }) => fault.stdout,
    );
  };

  it('compile, and tell the messages of a stream apart by their type', async () => {
    expect(await faultsOf(NARROWED)).to.equal('');
  });

  it('refuse a program that has not looked at the type', async () => {
    expect(await faultsOf(UNCHECKED)).to.match(/is not assignable to type 'string'/);
  });
});

describe('Validators that are generated from the OpenAPI document', () => {
  const exampleOf = (path: string): unknown =>
    structuredClone(document.paths[path]?.get.responses[200].content['application/json'].example);
  const validator = zod.fromJSONSchema(
    rooted(['FeedPage', 'StreamBatch', 'HistoryPage', 'MarketPage']) as never,
  );
  const isValid = (name: string, value: unknown): boolean => validator.safeParse({ [name]: value }).success;

  for (const [name, path] of [
    ['FeedPage', '/pm/v2/news'],
    ['StreamBatch', '/pm/v2/changes'],
    ['HistoryPage', '/pm/v2/history'],
    ['MarketPage', '/pm/v2/markets'],
  ] as const) {
    it(`accept a ${name}, also with a property of a later version, and refuse one without a field`, () => {
      const whole = exampleOf(path) as Record<string, unknown>;
      expect(Object.keys(whole).length).to.be.above(1);
      expect(isValid(name, whole)).to.equal(true);
      expect(isValid(name, { ...whole, later: 1 })).to.equal(true);
      const [[first = ''] = []] = Object.entries(whole);
      delete whole[first];
      expect(isValid(name, whole)).to.equal(false);
    });
  }

  it('accept each id that the service accepts: no pattern needs the flag u', () => {
    const page = exampleOf('/pm/v2/news') as { readonly items: { readonly news_event: { id: string } }[] };
    for (const { news_event: event } of page.items) event.id = 'ne_🎈p{Cc}';
    expect(isValid('FeedPage', page)).to.equal(true);
  });
});

/** Without `DEEP=1`, the 386 packages are not installed (docs/dependencies.md). */
const GENERATORS = [
  ...['openapi-typescript@7.13.0', 'typescript@5.9.3', '@hey-api/openapi-ts@0.90.0', 'orval@7.9.0', 'zod@4'],
];

if (process.env['DEEP'] !== undefined)
  describe('The clients of openapi-typescript, openapi-ts and orval', function () {
    this.timeout(600_000);

    it('compile, tell messages apart and accept every example', async () => {
      const folder = join(PROJECT, '.cache/generators');
      if (!existsSync(join(folder, 'node_modules/.bin/orval'))) {
        mkdirSync(folder, { recursive: true });
        await npm(PROJECT, 'install', '--prefix', folder, '--ignore-scripts', ...GENERATORS);
      }
      const { stdout } = await run(process.execPath, ['scripts/generated-clients.mjs', folder], {
        cwd: PROJECT,
      });
      expect(stdout).to.match(/accept every example/);
    });
  });
