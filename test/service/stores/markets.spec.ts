import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import type { FeedItem } from '../../../src/domain/feed/feed-item.js';
import { marketFactsOf, marketKey } from '../../../src/domain/feed/markets/market-facts.js';
import { NOON, timedNow } from '../../support/objects/builders.js';
import { samplePublication } from '../../support/sample/sample-feed.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import { aKey, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Instance, launchInstance, serviceOf } from '../../support/service/running-service.js';

/** D65: after the instance with the job was killed. */
const TAKEN_OVER_MS = 7_000;
const POLL_MS = 20;
const ITEMS = 600;
const LIMITS = { RATE_LIMIT_PRO_MINUTE: '100000', RATE_LIMIT_PRO_DAY: '1000000' };

type Market = { readonly kind: string; readonly market_id: string; readonly news_count: number };

describe('The directory of markets, while instances are killed', function () {
  this.timeout(120_000);
  let url: string;
  let db: Knex;
  let key: string;
  let instances: Instance[] = [];
  const start = () => launchInstance({ DATABASE_URL: url, REDIS_URL: redisUrl(), ...LIMITS }).listening;
  const kill = async ({ process }: Instance) => {
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
    instances = instances.filter((instance) => instance.process !== process);
  };
  const client = () => Client.of(serviceOf(...instances));
  before(async () => {
    url = await freshDatabase(serverUrl());
    db = connect(url, LONG_TIMEOUTS, 1);
    instances = [await start()];
    ({ key } = await aKey(await client()));
  });
  after(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await disconnect(db);
  });

  const ask = async (path: string) => (await client()).ask(path, { headers: { 'X-API-Key': key } });
  const items = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => samplePublication(from + i, NOON));

  /** The number of items of each market, as the directory has it, and as a walk of the feed has it. */
  const listed = async (): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, json } = await ask(`/pm/v2/markets?sort=id&limit=500${cursor && `&cursor=${cursor}`}`);
      if (status !== 200) return found;
      const page = json as { readonly markets: readonly Market[]; readonly next_cursor: string | null };
      for (const { kind, market_id, news_count } of page.markets)
        found.set(`${kind}:${market_id}`, news_count);
      cursor = page.next_cursor;
    }
    return found;
  };
  const walked = async (): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await ask(`/pm/v2/news?limit=500${cursor && `&cursor=${cursor}`}`);
      const page = json as { readonly items: readonly FeedItem[]; readonly next_cursor: string | null };
      for (const item of page.items)
        for (const market of marketFactsOf(item))
          found.set(marketKey(market), (found.get(marketKey(market)) ?? 0) + 1);
      cursor = page.next_cursor;
    }
    return found;
  };
  const sorted = (counts: ReadonlyMap<string, number>) =>
    [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  /** Waits until the directory is equal to the feed. Returns the milliseconds. */
  const untilEqual = async () => {
    const expected = sorted(await walked());
    const at = performance.now();
    while (JSON.stringify(sorted(await listed())) !== JSON.stringify(expected)) await setTimeout(POLL_MS);
    return performance.now() - at;
  };
  const servedId = async () =>
    (await db('market_generation').where({ is_served: true, is_ended: false }).first('id'))?.id as number;

  it('is followed by another instance within 7 s (D65)', async () => {
    await publishAll(await client(), items(0, ITEMS));
    await untilEqual();
    instances.push(await start());
    const [holder] = instances;
    if (holder === undefined) throw new Error('no instance runs');
    await kill(holder);
    const killedAt = performance.now();
    await publishAll(await client(), items(ITEMS - 5, ITEMS + 5).map(timedNow));
    await untilEqual();
    expect(performance.now() - killedAt).to.be.lessThan(TAKEN_OVER_MS);
  });

  it('is equal to the feed after kills while it is built anew, and serves the old rows meanwhile', async () => {
    const before = await servedId();
    const rows = sorted(await listed());
    await db('market_generation').update({ mark: '' });
    const built = async () =>
      Number((await db('market_item').where('generation', '>', before).count('* as n').first())?.['n'] ?? 0);
    for (let kills = 0, seen = 0; kills < 3 && (await servedId()) === before; kills += 1) {
      while ((await built()) === seen && (await servedId()) === before) await setTimeout(1);
      seen = await built();
      for (const instance of instances) await kill(instance);
      // The lease of the killed instance would take 5 s to end.
      await db('held_lease').delete();
      instances.push(await start());
      if ((await servedId()) === before) expect(sorted(await listed())).to.deep.equal(rows);
    }
    while ((await servedId()) === before) await setTimeout(POLL_MS);
    await untilEqual();
    expect(sorted(await listed())).to.deep.equal(rows);
  });
});
