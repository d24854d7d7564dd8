import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { npm, PROJECT, packClient, run } from '../../support/client/packed.js';
import { publication } from '../../support/objects/builders.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

/** From nothing to the first item, as the documentation shows it. */
const [, FIRST_ITEM = ''] =
  /```js\n(.*?)```/s.exec(readFileSync(join(PROJECT, 'docs/reference/client.md'), 'utf8')) ?? [];

describe('The packed client, installed into an empty folder', function () {
  this.timeout(240_000);
  let folder: string;
  let service: Service;
  let url: string;
  let key: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-installed-'));
    [service] = await Promise.all([
      startService(),
      packClient(folder).then((packed) => npm(folder, 'install', '--offline', packed)),
    ]);
    url = service.instances[0]?.url ?? '';
    const client = await Client.of(service);
    ({ key } = await aKey(client));
    await publishAll(client, [publication({ id: 'first' })]);
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads the first item in five lines, and has no dependency', async () => {
    const code = FIRST_ITEM.trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('//'));
    expect(code).to.have.length(5);
    writeFileSync(join(folder, 'first.mjs'), FIRST_ITEM.replace('https://api.example.com', url));
    const { stdout } = await run(process.execPath, ['first.mjs'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ODDSWIRE_KEY: key },
    });
    expect(stdout.trim()).to.equal(publication().news_event.headline);
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).to.deep.equal(['', 'node_modules/@oddswire/client']);
  });
});
