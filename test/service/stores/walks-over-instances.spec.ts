import { expect } from 'chai';
import type { PublicationInput } from '../../../src/domain/feed/feed-item.js';
import { walk } from '../../support/followers/walk.js';
import { batchOf } from '../../support/live/batches.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { type SilentProxy, startSilentProxy } from '../../support/servers/silent-proxy.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, publishAll, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';

const ROUNDS = 4;
const PAGE = 5;
/** A read of the logs then takes about 0.1 s longer. On a busy machine it must stay below its deadline of 1 s (D35). */
const SLOW_MS = 400;
const FEED = Array.from({ length: 2 * PAGE }, (_, n) => `ne_${n}`);

/** One sends its messages through Redis, the other through Postgres, and neither hears the other. */
describe('A walk whose pages come from two instances, none of whose messages arrive,', function () {
  this.timeout(60_000);
  let service: Service;
  let one: Client;
  /** Between the second instance and Postgres. */
  let slow: SilentProxy;
  let key: string;
  before(async () => {
    const url = await freshDatabase(serverUrl());
    slow = await startSilentProxy(url);
    const launched = [
      { DATABASE_URL: url, REDIS_URL: redisUrl() },
      { DATABASE_URL: slow.url, REDIS_URL: '' },
    ].map((settings) => launchInstance(settings));
    service = serviceOf(...(await Promise.all(launched.map(({ listening }) => listening))));
    // Each of them knows the other one.
    for (const { line } of service.instances) await line('instances: 2 on this database');
    // Of the first instance only: a client of both waits until every message has arrived.
    one = await Client.of(serviceOf(instance(0)));
    ({ key } = await aKey(one));
    await publishAll(one, FEED.map(item));
  });
  after(async () => {
    await service.stop();
    await slow.stop();
  });

  const instance = (n: 0 | 1) => service.instances[n] ?? expect.fail('there are two instances');
  const item = (id: string): PublicationInput => publication({ id });
  const walked = async (urlOf: (page: number) => string) =>
    (await walk({ key, urlOf, markets: null, filters: '', limit: PAGE })) ??
    expect.fail('an instance does not answer');

  /** Asked again while statements take longer than their deadline: on a busy machine, a delay is added to their time (D35). */
  const batchAfter = async (position: string) => {
    for (;;) {
      const batch = await batchOf(instance(1).url, key, `?after=${position}`);
      if (batch.status !== 503) return batch;
    }
  };

  /** The first instance answers the first page, at once after a change, and the second one everything else. */
  async function missesNothing(change: () => Promise<unknown>, rounds = ROUNDS): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await change();
      const { items, first } = await walked((page) => instance(page === 0 ? 0 : 1).url);
      expect(await batchAfter(first)).to.deep.equal({ status: 200, messages: [] });
      const { items: all } = await walked(() => instance(0).url);
      expect(Object.fromEntries(items)).to.deep.equal(Object.fromEntries(all));
    }
  }

  it('has an item that was published below the first page', () =>
    missesNothing(() =>
      publishAll(one, [publication({ id: unique(), scored_at: '2001-01-01T00:00:00Z' })], '?mode=backfill'),
    ));

  const replaceOldest = async () => {
    const [oldest = ''] = FEED;
    FEED.push(...FEED.splice(0, 1));
    await publishAll(one, [
      publication({ id: oldest, related_markets: [market(unique(), subMarket(unique()))] }),
    ]);
  };

  it('does not have the earlier version of an item that was replaced', () => missesNothing(replaceOldest));

  it(`does not have it either while each statement of the second instance takes ${SLOW_MS} ms`, async () => {
    slow.delay(SLOW_MS);
    await missesNothing(replaceOldest, 2).finally(() => slow.delay(0));
  });

  it('does not have an item that was retracted', () =>
    missesNothing(async () => {
      const [oldest = ''] = FEED.splice(0, 1);
      const { status } = await one.retract(oldest);
      expect(status).to.equal(204);
    }));
});
