import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { faultKinds } from '../../../src/adapters/http/answer/fault-kinds.js';
import { send } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** Kinds of errors that only other calls of the internal listener have. */
const OF_OTHER_CALLS = ['invalid_email', 'invalid_label', 'invalid_reason', 'unknown', 'unknown_parameter'];

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
    rmSync(folder, { recursive: true });
    const state = outputs.map((output) => output.trim()).find((output) => output.includes('"state"'));
    expect(JSON.parse(state ?? 'null')).to.include({ state: 'published', revision: 2 });
  });

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
    for (const file of files) expect((await send(`${url}${file}`, {})).status, file).to.equal(200);
    for (const path of ['/docs/publishing', '/docs/publishing.md'])
      expect((await send(`${service.instances[0]?.url}${path}`, {})).status).to.equal(404);
  });
});
