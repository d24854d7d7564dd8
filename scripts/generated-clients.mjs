// Generates clients from the public OpenAPI document with the generators that are installed in a folder, and uses them: they
// compile, tell the kinds of messages apart, and accept the examples of the document. With DEEP=1, a test installs the generators and
// runs this script: they need the JavaScript API of TypeScript 5, which our compiler does not have.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const { publicDocument } = await import('../dist/src/adapters/http/openapi/public-document.js');

/** A program that uses the types of two generators: it compiles only if `type` tells the kinds of messages apart. */
const PROGRAM = `
import type { components, operations } from './types.js';
import type { FeedPage, ReadChangesData, StreamBatch, StreamMessage } from './hey/index.js';

type Message = components['schemas']['StreamMessage'];
export const idOf = (message: Message): string =>
  message.type === 'item' ? message.item.news_event.id : message.type === 'retraction' ? message.id : message.position;
export const sameIdOf = (message: StreamMessage): string =>
  message.type === 'item' ? message.item.news_event.id : message.type === 'retraction' ? message.id : message.position;
export const idsOf = ({ messages }: StreamBatch): string[] =>
  messages.map((message) => (message.type === 'item' ? message.item.news_event.id : message.id));
export const lengthOf = ({ items }: FeedPage): number => items.length;
export const query: operations['readChanges']['parameters']['query'] = { category: ['a', 'b'], market_id: ['s'] };
export const sameQuery: ReadChangesData['query'] = { category: ['a', 'b'], market_id: ['s'] };
`;

/** The bodies that the generated validators must accept. */
const CALLS = {
  readNewsResponse: '/pm/v2/news',
  readChangesResponse: '/pm/v2/changes',
  openStreamResponse: '/pm/v2/stream',
  readHistoryResponse: '/pm/v2/history',
  findMarketsResponse: '/pm/v2/markets',
  readOwnKeyResponse: '/pm/v2/key',
  readUsageResponse: '/pm/v2/usage',
};

const [, , named] = process.argv;
if (named === undefined)
  throw new Error('usage: node scripts/generated-clients.mjs <folder of the generators>');
const folder = resolve(named);
const document = publicDocument({
  publicUrl: 'https://api.example.com',
  internalUrl: '',
  version: '0',
  isDemo: false,
});
mkdirSync(`${folder}/out`, { recursive: true });
writeFileSync(`${folder}/out/openapi.json`, JSON.stringify(document));
writeFileSync(`${folder}/out/program.ts`, PROGRAM);

const run = (name, ...args) =>
  execFileSync(resolve(folder, 'node_modules/.bin', name), args, { cwd: `${folder}/out`, stdio: 'pipe' });
run('openapi-typescript', 'openapi.json', '-o', 'types.ts');
run('openapi-ts', '-i', 'openapi.json', '-o', 'hey');
run('orval', '--input', './openapi.json', '--output', './validators.ts', '--client', 'zod');
const options = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
];
run('tsc', ...options, '--target', 'es2022', 'program.ts', 'validators.ts');

const outfile = `${folder}/out/validators.mjs`;
await build({
  entryPoints: [`${folder}/out/validators.ts`],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
});
const validators = await import(outfile);
const { paths } = JSON.parse(readFileSync(`${folder}/out/openapi.json`, 'utf8'));
for (const [name, path] of Object.entries(CALLS)) {
  const { example } = paths[path].get.responses['200'].content['application/json'];
  validators[name].parse(example);
}
const page = structuredClone(paths['/pm/v2/news'].get.responses['200'].content['application/json'].example);
page.items[0].news_event.id = 'ne_🎈p{Cc}'; // A pattern with \p{Cc} and without the flag u refuses it.
validators.readNewsResponse.parse(page);
console.log('Three generated clients compile, tell messages apart, and accept every example.');
