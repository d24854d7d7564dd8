import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import { type Backup, backupOf } from '../../support/dumps/backup.js';
import { publication } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { administer } from '../../support/servers/write-faults.js';
import { actOn, aKey, ids, issue, page, publishAll } from '../../support/service/api-calls.js';
import { Client, type Reply, send } from '../../support/service/client.js';
import {
  olderStates,
  pollersOf,
  type Queries,
  untilAnswered,
  untilRebuilt,
} from '../../support/service/older-state.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { until } from '../../support/until.js';

/** Promised: after this time every copy has the state of the database. */
const REBUILT_WITHIN_MS = 2_000;
const HOT = 150;
const NEWEST = 100;
const KEPT = 200;
/** An item of the dump that is retracted after it. */
const RETRACTED = 'kept-190';
const PUBLISH_EVERY_MS = 40;
/** In the past: the service then assigns the first free time above the head. */
const EARLY = '2026-03-01T12:00:00Z';

const OPERATIONS = readFileSync(resolve(import.meta.dirname, '../../../../docs/operations.md'), 'utf8');
/** The statement that operators run if no process has seen the lost changes. */
const [, RAISE_HEAD = ''] = /```sql\n(with raised[^`]+)```/.exec(OPERATIONS) ?? [];

/** The statement that lists the keys to revoke again. */
const [, LOST_KEYS = ''] = /```sql\n(select account_id[^`]+)```/.exec(OPERATIONS) ?? [];

describe('A database that is restored to an older state (D45)', function () {
  this.timeout(60_000);
  let postgres: TestPostgres;
  let redis: TestRedis;
  let service: Service;
  let client: Client;
  let logs: PostgresChangeLogs;
  let dump: Backup;
  /** A page at the state of the dump. */
  let kept: Reply;
  let reader: Awaited<ReturnType<typeof aKey>>;
  let other: typeof reader;
  let queries: Queries;
  const start = async (n: number) => {
    const settings = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      HOT_ITEMS: String(HOT),
      RATE_LIMIT_PRO_MINUTE: '1000000',
      RATE_LIMIT_PRO_DAY: '1000000',
    };
    return Promise.all(Array.from({ length: n }, () => launchInstance(settings).listening));
  };
  const use = async (instances: Service['instances']) => {
    service = serviceOf(...instances);
    client = await Client.of(service);
  };
  before(async () => {
    [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
    await use(await start(2));
    logs = new PostgresChangeLogs(postgres.url);
    [reader, other] = [await aKey(client), await aKey(client)];
    await publishAll(
      client,
      Array.from({ length: KEPT }, (_, i) => publication({ id: `kept-${i}` })),
    );
    const { next_cursor } = page(await client.news(reader.key, `?limit=${HOT + 10}`));
    queries = { newest: `?limit=${NEWEST}`, older: `?limit=5&cursor=${next_cursor}` };
    kept = await client.news(reader.key, queries.newest);
    dump = await backupOf(postgres.url);
  });
  after(async () => {
    for (const { process } of service.instances) process.kill('SIGCONT');
    await service.stop();
    await logs.close();
    await Promise.all([postgres.stop(), redis.stop()]);
  });

  const one = (n: 0 | 1) => service.instances[n] ?? expect.fail('there are two instances');
  /** Publishes directly on an instance, without a wait for the other one. */
  const publishOn = async (n: 0 | 1, id: string): Promise<number> => {
    const { publisher } = service.tokens;
    const headers = { Authorization: `Bearer ${publisher}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify(publication({ id, scored_at: EARLY }));
    return (await send(`${one(n).internalUrl}/internal/v1/news`, { method: 'POST', headers, body })).status;
  };
  const issueOn = async (n: 0 | 1): Promise<number> => {
    const headers = { Authorization: `Bearer ${service.tokens.operator}` };
    const path = `/internal/v1/accounts/${other.account}/keys`;
    return (await send(`${one(n).internalUrl}${path}`, { method: 'POST', headers })).status;
  };
  /** Changes that the dump does not have. */
  const change = async (name: string) => {
    await client.retract(RETRACTED);
    for (let i = 0; i < 5; i += 1) await publishAll(client, [publication({ id: `${name}-${i}` })]);
  };
  /** Expects that items published now are above a head that clients have seen, and are shown by both instances. */
  const expectPublished = async (seen: string, name: string) => {
    for (const n of [0, 1] as const) {
      expect(await publishOn(n, `${name}-${n}`)).to.equal(200);
      for (const { url } of service.instances) {
        const since = `${url}/pm/v2/news?since=${seen}`;
        const ask = async () => (await send(since, { headers: { 'X-API-Key': reader.key } })).text;
        await until(true, async () => (await ask()).includes(`"id":"${name}-${n}"`));
      }
    }
  };
  const headOf = async (url: string): Promise<string> => {
    const { headers } = await send(`${url}/pm/v2/news`, { headers: { 'X-API-Key': reader.key } });
    return headers['feed-head'] ?? expect.fail('the feed is not empty');
  };
  const expectRebuilt = async () => {
    const rebuiltMs = await untilRebuilt(logs, service.instances);
    console.log(`      both copies were rebuilt after ${rebuiltMs} ms`);
    expect(rebuiltMs).to.be.below(REBUILT_WITHIN_MS);
  };

  it('is served by both instances within 2 s, with no page of two states, and its head does not fall', async () => {
    await change('lost');
    await actOn(client, other.key_id, 'revoke', { cause: 'manual', reason: 'a test' });
    const issued = await issue(client, reader.account);
    await untilAnswered(service.instances, other.key, 401);
    await untilAnswered(service.instances, issued.key, 200);
    expect(JSON.stringify(await administer(postgres.url, [LOST_KEYS]))).to.include(other.key_id);
    const lost = await logs.newest();
    const pollers = pollersOf(service.instances, reader.key, queries);
    await pollers.more(20);
    const statuses = new Set<number>();
    let isRestored = false;
    const publishing = (async () => {
      for (let i = 0; !isRestored; i += 1) {
        statuses.add(await publishOn(i % 2 === 0 ? 0 : 1, `during-${i}`));
        await setTimeout(PUBLISH_EVERY_MS);
      }
    })();
    await dump.restore(postgres.url);
    isRestored = true;
    const from = performance.now();
    await Promise.all([expectRebuilt(), untilAnswered(service.instances, issued.key, 401)]);
    await untilAnswered(service.instances, other.key, 200);
    const keysMs = Math.round(performance.now() - from);
    await publishing;
    const seen = pollers.head();
    await expectPublished(seen, 'new');
    await pollers.more(20);
    await pollers.stop();
    console.log(
      `      keys were current after ${keysMs} ms; ${pollers.summary()}; publishing: ${[...statuses]}`,
    );
    expect(keysMs).to.be.below(REBUILT_WITHIN_MS);
    pollers.expectOneState({ before: 'lost-0', after: RETRACTED });
    expect(service.instances.map(olderStates)).to.deep.equal([1, 1]);
    expect([...statuses].filter((status) => ![200, 503].includes(status))).to.deep.equal([]);
    expect((await logs.readAfter(lost)).found).to.equal('older state');
    await actOn(client, other.key_id, 'revoke', { cause: 'manual', reason: 'revoked anew' });
    await untilAnswered(service.instances, other.key, 401);
  });

  it('is noticed by an instance that was paused, although more changes were made than lost', async () => {
    await change('lost-2');
    const before = service.instances.map(olderStates);
    const lost = await logs.newest();
    const pollers = pollersOf(service.instances, reader.key, queries);
    await pollers.more(20);
    one(1).process.kill('SIGSTOP');
    await dump.restore(postgres.url);
    await untilRebuilt(logs, [one(0)]);
    const seen = pollers.head();
    for (let i = 0; i < 20; i += 1) expect(await publishOn(0, `overtaking-${i}`)).to.equal(200);
    for (let i = 0; i < 3; i += 1) expect(await issueOn(0)).to.equal(201);
    expect((await logs.readAfter(lost)).found).to.equal('older state');
    one(1).process.kill('SIGCONT');
    await expectRebuilt();
    await expectPublished(seen, 'after-pause');
    await pollers.more(20);
    await pollers.stop();
    pollers.expectOneState({ before: 'lost-2-0', after: RETRACTED });
    expect(service.instances.map(olderStates)).to.deep.equal(before.map((count) => count + 1));
  });

  it('has every page as of a change that it has, and none as of a lost one, also when its number exists again (D60)', async () => {
    const positionOf = ({ headers }: Reply) =>
      headers['feed-position'] ?? expect.fail('a page has a position');
    const lost: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      await publishAll(client, [publication({ id: `of-the-past-${i}` })]);
      lost.push(positionOf(await client.news(reader.key)));
    }
    await dump.restore(postgres.url);
    await expectRebuilt();
    const expectPast = async () => {
      for (const { url } of service.instances) {
        const asOf = (position: string) =>
          send(`${url}/pm/v2/news${queries.newest}&as_of=${position}`, {
            headers: { 'X-API-Key': reader.key },
          });
        const { text, headers } = await asOf(positionOf(kept));
        expect([text, headers.etag]).to.deep.equal([kept.text, kept.headers.etag]);
        for (const position of lost) expect((await asOf(position)).text).to.include('"position_expired"');
      }
    };
    await expectPast();
    for (let i = 0; i < 2 * lost.length; i += 1) expect(await publishOn(0, `in-place-of-${i}`)).to.equal(200);
    await expectPast();
  });

  it('keeps its head if one instance was down meanwhile', async () => {
    await change('lost-3');
    const pollers = pollersOf([one(0)], reader.key, queries);
    await pollers.more(20);
    await one(1).stop();
    await dump.restore(postgres.url);
    const seen = pollers.head();
    await use([one(0), ...(await start(1))]);
    await expectRebuilt();
    await expectPublished(seen, 'after-start');
    await pollers.stop();
    pollers.expectOneState({ before: 'lost-3-0', after: RETRACTED });
    expect(olderStates(one(1))).to.equal(0);
    expect((await headOf(one(1).url)) > seen).to.equal(true);
  });

  it('keeps its head if all were down, after the statement of docs/operations.md', async () => {
    await publishAll(client, [
      publication({ id: 'lost-4', scored_at: new Date(Date.now() + 4_500).toISOString() }),
    ]);
    const seen = await headOf(one(0).url);
    await service.stop();
    await dump.restore(postgres.url);
    await administer(postgres.url, [RAISE_HEAD]);
    await use(await start(2));
    for (const { url } of service.instances) {
      expect((await headOf(url)) >= seen).to.equal(true);
    }
    await expectPublished(seen, 'after-stop');
    expect(ids(await client.news(reader.key)))
      .to.include(RETRACTED)
      .and.not.to.include('lost-4');
    expect(service.instances.map(olderStates)).to.deep.equal([0, 0]);
  });

  it('answers 503 and never 500 while its tables are missing, as during a restore in steps', async () => {
    const tables = ['item', 'item_sub_market', 'api_key', 'feed_change', 'account_change', 'feed_head'];
    const swap = (from: string, to: string) =>
      tables.map((name) => `alter table ${name}${from} rename to ${name}${to}`);
    const statuses = async () => {
      const key = { headers: { 'X-API-Key': reader.key } };
      const unknown = { headers: { 'X-API-Key': `svc_${'A'.repeat(43)}` } };
      const asked = [
        ['', key],
        [queries.older, key],
        ['?limit=1', unknown],
      ] as const;
      const pages = asked.map(
        async ([query, of]) => (await send(`${one(0).url}/pm/v2/news${query}`, of)).status,
      );
      return Promise.all([...pages, publishOn(1, 'steps')]);
    };
    await administer(postgres.url, swap('', '_aside'));
    expect(await statuses()).to.deep.equal([200, 503, 503, 503]);
    await administer(postgres.url, swap('_aside', ''));
    await until([200, 200, 401, 200], statuses);
    const emptied = ['create table aside as select * from feed_head', 'delete from feed_head'];
    await administer(postgres.url, emptied);
    expect(await statuses()).to.deep.equal([200, 503, 401, 503]);
    await administer(postgres.url, ['insert into feed_head select * from aside', 'drop table aside']);
    await until([200, 200, 401, 200], statuses);
  });
});
