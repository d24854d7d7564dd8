import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { faultKinds } from '../../../src/adapters/http/answer/fault-kinds.js';
import { send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Kinds of errors that only other calls of the internal listener have. */
const OF_OTHER_CALLS = ['invalid_date_time', 'invalid_email', 'invalid_label', 'invalid_reason', 'unknown'];

type ItemState = {
  readonly revision: number;
  readonly endpoint_published_at: string | null;
  readonly item: { readonly news_event: { readonly headline: string } } | null;
};

describe('The guide for publishers', function () {
  this.timeout(60_000);
  let service: Service;
  let url: string;
  let guide: string;
  before(async () => {
    service = await startService();
    url = service.instances[0]?.internalUrl ?? '';
    ({ text: guide } = await send(`${url}/docs/publishing.md`, {}));
  });
  after(() => service.stop());

  it('has programs that run as they are written, each with the output that it shows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guide-'));
    const env = { PATH: process.env['PATH'], INTERNAL_URL: url, PUBLISHER_TOKEN: service.tokens.publisher };
    const programs = [...guide.matchAll(/^```sh\n(.*?)^```\n(?:\n```json\n(.*?)\n```)?/gms)];
    expect(programs.length).to.be.at.least(8);
    const outputs: string[] = [];
    for (const [, program = '', expected] of programs) {
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', program], {
        cwd: folder,
        env,
      });
      if (expected !== undefined) expect(stdout.trim(), program).to.equal(expected);
      outputs.push(stdout);
    }
    const item = readFileSync(join(folder, 'item.json'), 'utf8');
    const corrected = readFileSync(join(folder, 'corrected.json'), 'utf8');
    rmSync(folder, { recursive: true });
    const state = outputs.map((output) => output.trim()).find((output) => output.includes('"state"'));
    expect(JSON.parse(state ?? 'null')).to.include({ state: 'published', revision: 2 });
    await publishesAgain(item, corrected);
  });

  /** The item is retracted. To publish it again makes it new, and a repetition undoes the correction in between. */
  async function publishesAgain(item: string, corrected: string) {
    const news = `${url}/internal/v1/news`;
    const headers = {
      Authorization: `Bearer ${service.tokens.publisher}`,
      'Content-Type': 'application/json',
    };
    const state = async () => (await (await fetch(`${news}/ne_guide-1`, { headers })).json()) as ItemState;
    const publish = async (body: string) =>
      (await fetch(news, { method: 'POST', headers, body })).json() as Promise<object>;

    const retracted = await state();
    expect(retracted).to.include({ state: 'retracted', item: null, endpoint_published_at: null });
    expect(await publish(item)).to.deep.equal({ accepted: 1, unchanged: 0, rejected: [] });
    const again = await state();
    expect(again).to.include({ state: 'published', revision: retracted.revision + 1 });
    expect(await publish(item)).to.deep.equal({ accepted: 0, unchanged: 1, rejected: [] });
    await publish(corrected);
    expect(await publish(item)).to.deep.equal({ accepted: 1, unchanged: 0, rejected: [] });
    const { item: last, revision, endpoint_published_at: publishedAt } = await state();
    expect(last?.news_event.headline).to.include('two months');
    expect([revision, publishedAt]).to.deep.equal([again.revision + 2, again.endpoint_published_at]);
  }

  it('names every error that a publisher can get', () => {
    const own = faultKinds('operator').filter((kind) => !OF_OTHER_CALLS.includes(kind));
    expect(own.filter((kind) => !guide.includes(`\`${kind}\``))).to.deep.equal([]);
  });

  it('is a page with files of its own on the internal listener, and is not on the public one', async () => {
    const page = await send(`${url}/docs/publishing`, {});
    expect([page.status, page.headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(page.text).to.include('<h1>Publishing</h1>');
    const files = [...page.text.matchAll(/(?:href|src)="(\/docs\/assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).to.be.at.least(5);
    const links = [...page.text.matchAll(/<a href="([^"#]+)"/g)].map(([, link = '']) => new URL(link, url));
    expect(links.map(({ pathname }) => pathname)).to.include.members([
      '/openapi.json',
      '/docs',
      '/docs/fields',
    ]);
    for (const { href } of links) expect((await send(href, {})).status, href).to.equal(200);
    for (const file of files) expect((await send(`${url}${file}`, {})).status, file).to.equal(200);
    for (const path of ['/docs/publishing', '/docs/publishing.md'])
      expect((await send(`${service.instances[0]?.url}${path}`, {})).status).to.equal(404);
  });
});
