import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Moment } from '../../../src/domain/moment.js';
import { sampleFeed } from '../../support/sample/sample-feed.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client, send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const CHAPTERS = ['quickstart', 'authentication', 'paging', 'following', 'filters', 'limits'];
const LANGUAGES = {
  sh: ['sh', '-ec'],
  js: [process.execPath, '--input-type=module', '--eval'],
  python: ['python3', '-c'],
} as const;

/** What a sample takes from its surroundings, and a call of what it defines. */
const BEFORE = {
  sh: '',
  js: 'const { ODDSWIRE_KEY: key, POSITION: position } = process.env;\n',
  python: 'import os\nposition = os.environ["POSITION"]\n',
} as const;
const CALLS: readonly (readonly [definition: RegExp, call: string])[] = [
  [/function\* walk/, 'for await (const item of walk(key)) console.log(item.news_event.id);'],
  [/def walk/, 'for item in walk(): print(item["news_event"]["id"])'],
  [/function poll/, 'await poll(key, (id) => console.log(id)); if (!since) throw new Error("no head");'],
  [/def poll/, 'assert poll(None, lambda id, item: print(id))'],
];

type Sample = { readonly language: keyof typeof LANGUAGES; readonly code: string };

const samplesIn = (text: string): readonly Sample[] =>
  [...text.matchAll(/^```(sh|js|python)\n(.*?)^```$/gms)].map(([, language, code = '']) => ({
    language: language as keyof typeof LANGUAGES,
    code,
  }));

/** A sample with a gap for the reader to fill, or without an end. */
const isPartial = ({ code }: Sample): boolean => /…|<position>|curl -N/.test(code);

const isInstalled = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;

describe('The samples of the documentation', function () {
  this.timeout(60_000);
  let service: Service;
  let client: Client;
  let environment: NodeJS.ProcessEnv;
  let newest: string;
  before(async () => {
    service = await startService();
    client = await Client.of(service);
    const items = sampleFeed(3, (await client.time()) as Moment);
    newest = items.at(-1)?.news_event.id ?? '';
    await publishAll(client, items);
    const { key } = await aKey(client);
    const POSITION = (await client.news(key)).headers['feed-position'];
    environment = { ...process.env, ODDSWIRE_KEY: key, POSITION };
  });
  after(() => service.stop());

  for (const chapter of CHAPTERS) {
    it(`run as ${chapter} shows them, in every language that is installed`, async () => {
      // A batch that waits gets its answer from a publication.
      const { text } = await send(`${service.instances[0]?.url}/docs/${chapter}.md`, {});
      const samples = samplesIn(text.replaceAll('&wait=30', '&wait=0'));
      expect(new Set(samples.map(({ language }) => language))).to.have.keys(Object.keys(LANGUAGES));
      for (const sample of samples.filter((one) => !isPartial(one))) {
        const { language, code } = sample;
        const [command, ...parameters] = LANGUAGES[language];
        const needed = language === 'sh' ? ['curl', 'jq'] : language === 'python' ? ['python3'] : [];
        if (!needed.every(isInstalled)) continue;
        const call = CALLS.find(([definition]) => definition.test(code))?.[1] ?? '';
        const program = `${BEFORE[language]}${code}\n${call}`;
        const { stdout } = await promisify(execFile)(command, [...parameters, program], { env: environment });
        if (call !== '') expect(stdout, program).to.include(newest);
      }
    });
  }

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
    // The stream has no end: its program ends with its first line.
    const stream = codeOf('stream').replace('console.log(', 'process.exit(console.log(').replace(/;$/, ');');
    const since = stream.replace('follow()', 'follow({ since: new Date(Date.now() - 3_600_000) })');
    const [command, ...parameters] = LANGUAGES.js;
    const followed = await run(command, [...parameters, since], { env: environment });
    expect(followed.stdout).to.match(/\S/);
    if (isInstalled('python3')) {
      const [python, option] = LANGUAGES.python;
      const polled = await run(python, [option, codeOf('poll')], { env: environment });
      expect(polled.stdout.trim().split('\n')).to.have.length(3);
    }
    const { mcpServers } = JSON.parse(codeOf('mcp'));
    expect(mcpServers.oddswire.url).to.match(/^http:.+\/mcp$/);
  });
});
