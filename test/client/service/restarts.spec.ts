import { Oddswire } from '@oddswire/client';
import { expect } from 'chai';
import { apply, sorted, walked } from '../../support/client/followed.js';
import { hasPython, PythonClient } from '../../support/client/python-client.js';
import { TYPESCRIPT } from '../../support/client/typescript-client.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { startSilentProxy } from '../../support/servers/silent-proxy.js';
import { serverUrl } from '../../support/servers/stores.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { killed, type Service, startService } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

const RESTARTS = 10;
/** Of each restart: new items, replacements of an item, and retractions. */
const NEW = 60;
const REPLACED = 30;
const RETRACTED = 10;
const CHANGES = RESTARTS * (NEW + REPLACED + RETRACTED);

describe('The clients, while the service restarts', function () {
  this.timeout(240_000);
  const python = hasPython ? new PythonClient() : null;
  const clients = [TYPESCRIPT, ...(python === null ? [] : [python])];
  let service: Service;
  after(async () => {
    python?.stop();
    await service?.stop();
  });

  if (python === null)
    it('are tested in Python too, if this machine has the command python3: it has not', function () {
      this.skip();
    });

  it(`have the feed of a walk after ${RESTARTS} restarts under ${CHANGES} changes, half of them crashes`, async () => {
    const database = await freshDatabase(serverUrl());
    const start = () => startService({ DATABASE_URL: database });
    const publish = async (ids: readonly string[]) =>
      publishAll(
        await Client.of(service),
        ids.map((id) => timedNow(publication({ id }))),
      );
    service = await start();
    const proxy = await startSilentProxy(service.instances[0]?.url ?? '');
    const { key } = await aKey(await Client.of(service));
    const at = { url: proxy.url, key };
    await publish(['first']);
    const { position } = await walked(new Oddswire(at));
    const followings = clients.map((tested) => tested.follow(at, { after: position }));
    for (let n = 0; n < RESTARTS; n += 1) {
      const ids = Array.from({ length: NEW }, (_, i) => `r-${n}-${i}`);
      const before = service;
      // The next process starts meanwhile, so that the test takes less time.
      const [next] = await Promise.all([
        start(),
        publish(ids.slice(0, NEW / 2)).then(() => publish(ids.slice(0, REPLACED))),
      ]);
      service = next;
      if (n % 2 === 0) await Promise.all(before.instances.map(killed));
      else await before.stop();
      await publish(ids.slice(NEW / 2));
      const client = await Client.of(service);
      await Promise.all(ids.slice(-RETRACTED).map((id) => client.retract(id)));
      proxy.redirect(service.instances[0]?.url ?? '');
    }
    const { feed } = await walked(new Oddswire(at));
    feed.delete('first'); // It is older than the position.
    expect(feed.size).to.equal(RESTARTS * (NEW - RETRACTED));
    for (const { messages } of followings) {
      await until(sorted(feed), () => {
        const followed = new Map();
        for (const message of messages) apply(followed, message);
        return sorted(followed);
      });
    }
    const items = (n: number) => followings[n]?.messages.filter(({ type }) => type === 'item').length ?? 0;
    console.log(`      ${clients.map(({ language }, n) => `${language}: ${items(n)} items`).join(', ')}`);
    for (const following of followings) following.stop();
    await Promise.all(followings.map(({ ended }) => ended));
    await proxy.stop();
  });
});
