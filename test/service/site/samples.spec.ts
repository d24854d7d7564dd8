import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CHAPTERS, chapterOfFile } from '../../../src/adapters/reference/chapters.js';
import type { Moment } from '../../../src/domain/moment.js';
import {
  FENCE_LANGUAGES,
  type Fence,
  fencesIn,
  runAsWritten,
  runLine,
} from '../../support/client/document-programs.js';
import { PROJECT } from '../../support/client/packed.js';
import { PYTHON_PACKAGE } from '../../support/client/python-client.js';
import { publication } from '../../support/objects/builders.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Its programs need the output of each other: `publishing-guide.spec.ts` runs them in order. */
const GUIDE_OF_PUBLISHERS = 'publishing.md';

/** All documents of `docs/reference`, by their names, and the other chapters of `/docs`. */
const DOCUMENTS = [
  ...readdirSync(join(PROJECT, 'docs/reference'))
    .filter((file) => file !== GUIDE_OF_PUBLISHERS)
    .map((file) => file.replace(/\.md$/, '')),
  ...CHAPTERS.filter(({ file }) => !file.startsWith('reference/')).map(({ file }) =>
    file.replace(/\.md$/, ''),
  ),
];

const RECEIVER = { WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`, PORT: '0' };
/** What programs need in addition to `ODDSWIRE_URL` and `ODDSWIRE_KEY`. */
const NEEDED: Readonly<Record<string, NodeJS.ProcessEnv>> = { webhooks: RECEIVER };

/** Programs that need a browser, a registry or the data of another one: other tests run them, also as they are written. */
// biome-ignore format: a table is read by its columns
const RUN_ELSEWHERE: readonly (readonly [document: string, beginning: RegExp, test: string])[] = [
  ['live',   /^(?:\/\/|#) Run it: .*follow\./, 'test/service/api/live-clients.spec.ts'],
  ['live',   /^jq -nR/,                        'test/service/api/live-clients.spec.ts'],
  ['live',   /^\/\*\*\n \* `walk\(\)`/,       'test/browser/live-stream.spec.ts'],
  ['client', /^\/\/ .*\n\/\/ .*Run it: node mirror\.ts\n/, 'test/client/service/examples.spec.ts'],
  ['webhooks', /^import base64/, 'test/client/service/webhook-receivers.spec.ts'],
  ...['client', 'command-line', 'quickstart', 'python'].map(
    (document) => [document, /^(?:npm|pip) install/, 'test/client/package/served.spec.ts'] as const,
  ),
  ['python', /^(?:# Run it: |import os\n|""")/, 'test/client/python/wheel.spec.ts'],
  ['client', /^npx swagger-typescript-api/,    'test/client/package/generated-clients.spec.ts'],
];

const isInstalled = (command: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const INSTALLED = new Map(['python3', 'curl', 'jq'].map((command) => [command, isInstalled(command)]));

const NEEDS: readonly (readonly [command: string, isNeeded: (fence: Fence) => boolean])[] = [
  ['python3', ({ language }) => language === 'python'],
  ['curl', ({ language, code }) => language === 'sh' && /\bcurl\b/.test(code)],
  ['jq', ({ language, code }) => language === 'sh' && /\bjq\b/.test(code)],
];

const isRunnable = (fence: Fence): boolean =>
  NEEDS.every(([command, isNeeded]) => !isNeeded(fence) || INSTALLED.get(command) === true);

const elsewhere = (document: string, code: string) =>
  RUN_ELSEWHERE.find(([of, beginning]) => of === document && beginning.test(code));

const PROGRAMS = ['sh', 'js', 'ts', 'python'];

describe('The samples of the documentation', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let environment: NodeJS.ProcessEnv;
  let publishing: NodeJS.Timeout;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    await publishAll(client, sampleFeed(3, (await client.time()) as Moment));
    const { key } = await aKey(client);
    const python = { PYTHONPATH: PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE: '1' };
    environment = { ODDSWIRE_URL: service.instances[0]?.url, ODDSWIRE_KEY: key, ...python };
    // A stream, or a batch that waits, gets what it prints from a publication.
    let n = 0;
    publishing = setInterval(() => {
      n += 1;
      void publishAll(client, [publication({ id: `while-it-runs-${n}` })]).catch(() => {});
    }, 300);
  });
  after(async () => {
    clearInterval(publishing);
    await service.stop();
  });

  /** As the service shows it; a document that is no chapter is read from its file. */
  const textOf = async (document: string): Promise<string> => {
    const chapter = chapterOfFile(`${document}.md`);
    if (chapter === null) return readFileSync(join(PROJECT, `docs/reference/${document}.md`), 'utf8');
    return (await send(`${service.instances[0]?.url}/docs/${chapter.slug}.md`, {})).text;
  };

  for (const document of DOCUMENTS) {
    it(`run as ${document} shows them`, async () => {
      const fences = fencesIn(await textOf(document));
      for (const { language, code } of fences) {
        expect(FENCE_LANGUAGES, code).to.include(language);
        if (language === 'json') expect(() => JSON.parse(code), code).not.to.throw();
      }
      const programs = fences.filter(
        (fence) =>
          PROGRAMS.includes(fence.language) &&
          elsewhere(document, fence.code) === undefined &&
          isRunnable(fence),
      );
      const needed = { ...environment, ...NEEDED[document] };
      await Promise.all(
        programs.map(async ({ language, code }) => {
          if (language !== 'sh') expect(runLine(code), code).not.to.equal(null);
          const { output, errors, code: exit } = await runAsWritten(code, needed);
          const details = `${document}\n${code}\n${output}\n${errors}`;
          expect(exit, details).to.be.oneOf([0, 'stopped']);
          const isErrorWanted = code.includes('Oddswire-Test:');
          if (!isErrorWanted) expect(output, details).not.to.match(/"status": ?[45]\d\d/);
          if (language !== 'sh' && !code.includes(' > ')) expect(output, details).not.to.equal('');
        }),
      );
    });
  }

  it('are run by another test if they need more than a service and a key', async () => {
    for (const [document, beginning, test] of RUN_ELSEWHERE) {
      const found = fencesIn(await textOf(document)).filter(({ code }) => beginning.test(code));
      expect(found, `${beginning}`).not.to.deep.equal([]);
      expect(existsSync(join(PROJECT, test)), test).to.equal(true);
    }
  });

  it('of the front page run, in every language that is installed, and name the address of MCP', async () => {
    const { text } = await send(`${service.instances[0]?.url}/`, { headers: { Accept: 'text/html' } });
    const codeOf = (id: string) =>
      (new RegExp(`<code id="way-${id}">(.*?)</code>`, 's').exec(text)?.[1] ?? '')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/&#x27;|&#39;/g, "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&gt;', '>');
    for (const id of ['stream', 'poll', 'mcp']) expect(codeOf(id).split('\n').length, id).to.be.within(3, 6);
    const run = promisify(execFile);
    const withPath = { ...process.env, ...environment };
    // The stream has no end: its program ends with its first line.
    const stream = codeOf('stream').replace('console.log(', 'process.exit(console.log(').replace(/;$/, ');');
    const since = stream.replace('follow()', 'follow({ since: new Date(Date.now() - 3_600_000) })');
    const [command, ...parameters] = [process.execPath, '--input-type=module', '--eval'];
    const followed = await run(command, [...parameters, since], { env: withPath });
    expect(followed.stdout).to.match(/\S/);
    if (isInstalled('python3')) {
      const polled = await run('python3', ['-c', codeOf('poll')], { env: withPath });
      expect(polled.stdout.trim().split('\n').length).to.be.within(3, 10);
    }
    const { mcpServers } = JSON.parse(codeOf('mcp'));
    expect(mcpServers.oddswire.url).to.match(/^http:.+\/mcp$/);
  });
});
