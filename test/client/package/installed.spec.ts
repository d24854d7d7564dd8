import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Oddswire } from '@oddswire/client';
import { expect } from 'chai';
import { sorted, walked } from '../../support/client/followed.js';
import { npm, PROJECT, packClient, run } from '../../support/client/packed.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { killed, type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const RESTARTS = 10;

/** From nothing to the first item, as the documentation shows it. */
const [, FIRST_ITEM = ''] =
  /```js\n(.*?)```/s.exec(readFileSync(join(PROJECT, 'docs/reference/client.md'), 'utf8')) ?? [];

/** Follows, and sends the items that it has when it is asked. */
const FOLLOW = `import { Oddswire } from '@oddswire/client';
const oddswire = new Oddswire({ url: process.env.ODDSWIRE_URL, key: process.env.ODDSWIRE_KEY });
const feed = new Map();
process.on('message', () => process.send([...feed]));
for await (const message of oddswire.follow({ after: process.argv[2] })) {
  if (message.type === 'item') feed.set(message.item.news_event.id, message.item);
  if (message.type === 'retraction') feed.delete(message.id);
}
`;

describe('The packed client, installed into an empty folder', function () {
  this.timeout(240_000);
  let folder: string;
  let database: string;
  let service: Service;
  let client: Client;
  let proxy: SilentProxy;
  let key: KeyView;
  let follower: ChildProcess | undefined;

  const start = async () => {
    service = await startService({ DATABASE_URL: database });
    client = await Client.of(service);
    return service.instances[0]?.url ?? '';
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-installed-'));
    database = await freshDatabase(serverUrl());
    const [url] = await Promise.all([
      start(),
      packClient(folder).then((packed) => npm(folder, 'install', '--offline', packed)),
    ]);
    proxy = await startSilentProxy(url);
    key = await aKey(client);
    await publish('first');
  });
  after(async () => {
    follower?.kill('SIGKILL');
    await Promise.all([proxy.stop(), service.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const publish = (...ids: readonly string[]) =>
    publishAll(
      client,
      ids.map((id) => timedNow(publication({ id }))),
    );

  const environment = () => ({ PATH: process.env['PATH'], ODDSWIRE_URL: proxy.url, ODDSWIRE_KEY: key.key });

  it('reads the first item in five lines, and has no dependency', async () => {
    expect(FIRST_ITEM.trimEnd().split('\n')).to.have.length(5);
    writeFileSync(join(folder, 'first.mjs'), FIRST_ITEM.replace('https://api.example.com', proxy.url));
    const { stdout } = await run(process.execPath, ['first.mjs'], { cwd: folder, env: environment() });
    expect(stdout.trim()).to.equal(publication().news_event.headline);
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    expect(Object.keys(lock.packages)).to.deep.equal(['', 'node_modules/@oddswire/client']);
  });

  it(`misses nothing in ${RESTARTS} restarts of the service, half of them crashes`, async () => {
    writeFileSync(join(folder, 'follow.mjs'), FOLLOW);
    const { position } = await walked(new Oddswire({ url: proxy.url, key: key.key }));
    const child = spawn(process.execPath, ['follow.mjs', position], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    follower = child;
    for (let n = 0; n < RESTARTS; n += 1) {
      const instances = service.instances;
      await publish(`before-${n}`, 'replaced');
      if (n % 2 === 0) for (const instance of instances) await killed(instance);
      else await service.stop();
      const url = await start();
      await publish(`after-${n}`);
      proxy.redirect(url);
    }
    await client.retract('before-1');
    const { feed } = await walked(new Oddswire({ url: proxy.url, key: key.key }));
    feed.delete('first'); // It is older than the position.
    expect(feed.size).to.equal(2 * RESTARTS);
    await until(sorted(feed), async () => {
      child.send('items');
      const [items] = await once(child, 'message');
      return sorted(new Map(items));
    });
  });
});
