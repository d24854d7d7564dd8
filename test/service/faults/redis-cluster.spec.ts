import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { keySlot, SLOTS } from '../../../src/adapters/redis/key-slot.js';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import { summaryOf, traffic } from '../../support/load/traffic.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import type { TestRedis } from '../../support/servers/redis.js';
import { asked, startFailoverCluster } from '../../support/servers/redis-failover.js';
import { serverUrl } from '../../support/servers/stores.js';
import { admittedOf, untilReady } from '../../support/service/admissions.js';
import { account, issue, startOfMinute } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const QUOTA = 60;
const USED = 20;
const LEFT = QUOTA - USED;

/** D35 and D75: one silent node of a cluster takes only its own keys out, until another node has its role. */
describe('Two instances on a Redis Cluster', function () {
  this.timeout(90_000);
  let cluster: Awaited<ReturnType<typeof startFailoverCluster>>;
  let service: Service;
  let client: Client;
  before(async () => {
    cluster = await startFailoverCluster();
    service = await startService(
      {
        DATABASE_URL: await freshDatabase(serverUrl()),
        REDIS_URL: cluster.url,
        RATE_LIMIT_FREE_MINUTE: '1000000',
        RATE_LIMIT_PRO_MINUTE: '1000000',
        RATE_LIMIT_FREE_DAY: String(QUOTA),
      },
      2,
    );
    client = await Client.of(service);
  });
  after(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  const admitted = (key: string, requests = QUOTA) => admittedOf(service, key, requests);
  const text = async (instance: number) =>
    (await fetch(`${service.instances[instance]?.internalUrl}/readyz`)).text();

  /** An account whose requests this master counts, or another one. */
  const accountOf = async (
    master: number,
    isOwn: boolean,
    plan: PlanName,
  ): Promise<{ readonly id: string; readonly slot: number }> => {
    const id = await account(client, plan);
    const { json } = await client.operate('GET', `/internal/v1/accounts/${id}`);
    const slot = keySlot((json as { readonly subscription_id: string }).subscription_id);
    const isHere = Math.floor((slot * cluster.masters.length) / SLOTS) === master;
    return isHere === isOwn ? { id, slot } : accountOf(master, isOwn, plan);
  };
  const keyOf = async (...of: Parameters<typeof accountOf>): Promise<string> =>
    (await issue(client, (await accountOf(...of)).id)).key;
  const usedKeys = async (master: number, isOwn: boolean, count: number): Promise<readonly string[]> => {
    const keys = await Promise.all(Array.from({ length: count }, () => keyOf(master, isOwn, 'free')));
    for (const key of keys) expect(await admitted(key, USED)).to.equal(USED);
    return keys;
  };

  it('count exactly while a slot moves to another node, also while its keys are on both', async () => {
    // While a slot moves, Redis creates no second key of a script in it, as at the start of a minute.
    await startOfMinute(client);
    const { id, slot } = await accountOf(0, true, 'free');
    const { key } = await issue(client, id);
    const [from = '', to = ''] = cluster.masters.map(({ url }) => url);
    const [fromId, toId] = [await asked(from, ['CLUSTER', 'MYID']), await asked(to, ['CLUSTER', 'MYID'])];
    const setSlot = (url: string, state: string, node: unknown) =>
      asked(url, ['CLUSTER', 'SETSLOT', String(slot), state, String(node)]);
    const { hostname, port } = new URL(to);
    const move = (names: readonly string[]) =>
      asked(from, ['MIGRATE', hostname, port, '', '0', '5000', 'KEYS', ...names]);

    const counts = [await admitted(key, 10)];
    await setSlot(to, 'IMPORTING', fromId);
    await setSlot(from, 'MIGRATING', toId);
    counts.push(await admitted(key, 10));
    const listed = await asked(from, ['CLUSTER', 'GETKEYSINSLOT', String(slot), '100']);
    const [first = '', ...others] = listed as readonly string[];
    expect(others).not.to.deep.equal([]);
    await move([first]);
    const between = admitted(key, 10);
    await setTimeout(50);
    await move(others);
    counts.push(await between, await admitted(key, 10));
    for (const url of [to, from]) await setSlot(url, 'NODE', toId);
    counts.push(await admitted(key));
    expect(counts).to.deep.equal([10, 10, 10, 10, QUOTA - 40]);
  });

  const faults = [
    ['is frozen', 0, (node: TestRedis) => node.freeze(), (node: TestRedis) => node.thaw()],
    ['is killed', 1, (node: TestRedis) => node.kill(), (node: TestRedis) => node.restart()],
  ] as const;
  for (const [what, master, fail, repair] of faults)
    it(`count the keys of other nodes exactly while one ${what}, and its own within 1 s of the election`, async () => {
      const node = cluster.masters[master];
      if (node === undefined) throw new Error('there is no such node');
      const [own = '', idle = ''] = await usedKeys(master, true, 2);
      const [first = '', second = '', third = ''] = await usedKeys(master, false, 3);
      const [onNode, onOther] = [await keyOf(master, true, 'pro'), await keyOf(master, false, 'pro')];
      const running = traffic(2, (n) => ({
        url: `${service.instances[n % 2]?.url}/pm/v2/news?limit=5`,
        headers: { 'X-API-Key': n % 4 < 2 ? onNode : onOther },
        kind: n % 4 < 2 ? 'of the node' : 'of others',
      }));
      await running.more(100);
      await fail(node);
      const failedAt = performance.now();
      const elected = cluster.electedFor(master).then(() => performance.now());
      const exact = elected.then(async (at) => {
        await untilReady(service);
        return Math.round(performance.now() - at);
      });
      const noticed = service.instances.map(({ line }) => line('Redis cannot be used', master + 1));
      const readyz = Promise.race(noticed.map((line, i) => line.then(() => text(i))));
      const atOnce = await admitted(first);
      const shown = await readyz;
      const noticedMs = Math.round(performance.now() - failedAt);
      const during = await admitted(second);
      const ofNode = await admitted(own);
      const electedMs = Math.round((await elected) - failedAt);
      const exactMs = await exact;
      const ofNodeLater = await admitted(idle);
      await repair(node);
      await running.more(100);
      const later = await admitted(third);
      const tally = await running.stop();
      console.log(
        `      ${LEFT} of ${QUOTA} left; other nodes: ${atOnce}, ${during}, after the repair ${later} admitted; the node: ${ofNode}, after the election ${ofNodeLater}; noticed after ${noticedMs} ms, elected after ${electedMs} ms, exact ${exactMs} ms later; ${summaryOf(tally)}`,
      );
      expect([atOnce, during, ofNodeLater, later]).to.deep.equal(Array(4).fill(LEFT));
      // Each instance counts on from the last count that it saw.
      expect(ofNode).to.be.within(LEFT, QUOTA);
      expect(exactMs).to.be.at.most(1_000);
      expect(Object.keys(tally)).to.have.members(['of the node 200', 'of others 200']);
      expect(shown).to.include(`no answer from ${new URL(node.url).host}`);
    });
});
