import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { send } from '../../support/service/client.js';
import { type Instance, launchInstance } from '../../support/service/running-service.js';

const README = resolve(import.meta.dirname, '../../../../README.md');

/** The address of the internal listener without settings. */
const ADDRESS = 'http://127.0.0.1:8081';

describe('The commands of README.md after npm start', function () {
  this.timeout(60_000);
  let folder: string;
  let instance: Instance;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'first-key-'));
    // Empty settings count as missing ones, so the service makes its own tokens.
    instance = await launchInstance({ OPERATOR_TOKEN: '', PUBLISHER_TOKEN: '' }, folder).listening;
  });
  after(async () => {
    await instance.stop();
    rmSync(folder, { recursive: true });
  });

  it('print a key that reads the feed', async () => {
    const [, block = ''] = /^```\nnpm start\n(.*?)npm run import/ms.exec(readFileSync(README, 'utf8')) ?? [];
    expect(block).to.include(ADDRESS);
    const commands = block.replaceAll(ADDRESS, instance.internalUrl);
    const options = { cwd: folder, env: { PATH: process.env['PATH'] } };
    const { stdout } = await promisify(execFile)('bash', ['-euc', commands], options);
    const { key } = JSON.parse(stdout) as { readonly key: string };
    const { status } = await send(`${instance.url}/pm/v2/news`, { headers: { 'X-API-Key': key } });
    expect(status).to.equal(200);
  });
});
