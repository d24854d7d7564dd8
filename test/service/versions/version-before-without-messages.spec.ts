import { expect } from 'chai';
import { traffic } from '../../support/load/traffic.js';
import { publication } from '../../support/objects/builders.js';
import { emptyDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { actOn, aKey, ids, publishAll, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import {
  type Instance,
  killed,
  type Launched,
  launchInstance,
  serviceOf,
} from '../../support/service/running-service.js';
import { until } from '../../support/until.js';
import { launchVersionBefore } from '../../support/versions/version-before.js';

const KEYS = 4;
/** The previous version reads a key again after 4.5 s. This one follows the change logs (D39). */
const BOUND_MS = { previous: 5_000, present: 1_500 } as const;
type Version = keyof typeof BOUND_MS;

/** A rolling update in which no message between the versions arrives: one uses Redis for messages, the other Postgres. */
describe('The previous version and this one, without messages,', function () {
  this.timeout(60_000);
  const launched: Launched[] = [];
  let url: string;
  let instances: Record<Version, Instance>;
  const listening = (one: Launched): Promise<Instance> => {
    launched.push(one);
    return one.listening;
  };
  const launch = (version: Version): Promise<Instance> =>
    version === 'previous'
      ? listening(launchVersionBefore({ DATABASE_URL: url, REDIS_URL: redisUrl() }))
      : listening(launchInstance({ DATABASE_URL: url }));

  before(async () => {
    url = await emptyDatabase(serverUrl());
    const previous = await launch('previous');
    instances = { previous, present: await launch('present') };
  });
  after(async () => void (await Promise.all(launched.map((one) => one.stop()))));

  const clientOf = (version: Version) => Client.of(serviceOf(instances[version]));

  /** The milliseconds until the other version refuses keys that one version revokes, under traffic with all of them. */
  async function slowestRevocation(from: Version, to: Version): Promise<number> {
    const [one, other] = [await clientOf(from), await clientOf(to)];
    const keys = await Promise.all(Array.from({ length: KEYS }, () => aKey(one)));
    for (const { key } of keys) await until(200, async () => (await other.news(key)).status);
    const news = `${instances[to].url}/pm/v2/news?limit=1`;
    const load = traffic(2, (n) => ({
      url: news,
      headers: { 'X-API-Key': keys[n % KEYS]?.key ?? '' },
      kind: 'any',
    }));
    const times = keys.map(async ({ key, key_id }) => {
      expect((await actOn(one, key_id, 'revoke', { cause: 'manual' })).status).to.equal(200);
      const at = performance.now();
      await until(401, async () => (await other.news(key)).status);
      return performance.now() - at;
    });
    const slowest = Math.round(Math.max(...(await Promise.all(times))));
    await load.stop();
    return slowest;
  }

  async function missNothing(): Promise<void> {
    for (const [from, to] of [
      ['previous', 'present'],
      ['present', 'previous'],
    ] as const) {
      const id = unique();
      await publishAll(await clientOf(from), [publication({ id })]);
      const reader = await clientOf(to);
      const { key } = await aKey(reader);
      await until(id, async () => ids(await reader.news(key, '?limit=1'))[0]);
      const slowest = await slowestRevocation(from, to);
      console.log(`      the ${to} version refuses keys that the other one revoked after ${slowest} ms`);
      expect(slowest).to.be.at.most(BOUND_MS[to]);
    }
  }

  it('both refuse every key that the other one revokes, and show every item', () => missNothing());

  it('do so after the previous version was killed and restarted', async () => {
    await killed(instances.previous);
    instances.previous = await launch('previous');
    await missNothing();
  });
});
