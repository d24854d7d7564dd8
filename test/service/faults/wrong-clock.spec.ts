import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { publication } from '../../support/objects/builders.js';
import { metricOf, scrape } from '../../support/ops/scrape.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import {
  actOn,
  advance,
  aKey,
  ndjson,
  problem,
  publishAll,
  ready,
  unique,
} from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { aCustomer } from '../../support/service/processor-customer.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { type SetClock, setClock } from '../../support/service/set-clock.js';
import { until } from '../../support/until.js';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** D5: the clock of the database bounds what one instance can do to the rows of all. */
describe('An instance whose clock is wrong', function () {
  this.timeout(60_000);
  let clock: SetClock;
  let service: Service;
  /** The instance whose clock is right, and the one whose clock the test sets. */
  let right: Client;
  let wrong: Client;
  let db: Knex;
  before(async () => {
    clock = setClock();
    const url = await freshDatabase(serverUrl());
    const environment = { DATABASE_URL: url, REDIS_URL: redisUrl() };
    const one = await launchInstance(environment).listening;
    const other = await launchInstance({ ...environment, ...clock.settings }).listening;
    service = serviceOf(one, other);
    [right, wrong] = await Promise.all([Client.of(serviceOf(one)), Client.of(serviceOf(other))]);
    db = connect(url, REQUEST_TIMEOUTS, 2);
  });
  afterEach(async () => {
    clock.ahead(0);
    await until('ready', async () => (await ready(wrong))[1]);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
    clock.remove();
  });

  const rows = async () => {
    const counts = ['usage', 'notice', 'account_change', 'feed_change'].map(
      async (table) => [table, Number((await db(table).count())[0]?.['count'])] as const,
    );
    return Object.fromEntries(await Promise.all(counts));
  };
  const publish = (client: Client, mode: string, more = {}) =>
    client.publish(ndjson([publication({ id: unique(), ...more })]), `?mode=${mode}`);
  const secondsAhead = (at: string) => (Date.parse(at) - Date.now()) / 1_000;

  it('shows by how much in its metrics', async () => {
    const offset = async () => {
      const { values } = await scrape(service.instances[1]?.internalUrl ?? '');
      const [value = Number.NaN] = [...values].flatMap(([series, one]) =>
        metricOf(series) === 'oddswire_clock_offset_seconds' ? one : [],
      );
      return Math.round(value);
    };
    expect(await offset()).to.equal(0);
    clock.ahead(-30);
    await until(-30, offset);
  });

  it('suspends no customer in dunning and deletes no row when it is 40 days ahead', async () => {
    const customer = await aCustomer(right);
    await customer.tells('past_due');
    await customer.fails(1, `in_${unique()}`);
    expect(await customer.answer()).to.deep.equal([200]);
    await until(true, async () => Number((await db('usage').count())[0]?.['count']) > 0);
    await db('notice').where({ state: 'waiting' }).update({ state: 'sent', attempted_at: db.fn.now() });
    const before = await rows();
    clock.ahead(40 * DAY_SECONDS);
    await wrong.line('ahead of that of Postgres: this instance is not ready');
    expect(await ready(wrong)).to.deep.equal([503, 'not_ready']);
    // Runs every job at once, also those that the instance does not begin by itself.
    await advance(wrong, 1);
    const after = await rows();
    for (const [table, count] of Object.entries(before)) expect(after[table], table).to.be.at.least(count);
    expect(await customer.answer()).to.deep.equal([200]);
    expect((await customer.view()).subscription.dunning).to.not.equal(null);
    expect(await ready(right)).to.deep.equal([200, 'ready']);
  });

  it('accepts no live publication when it is an hour ahead, and says why', async () => {
    clock.ahead(HOUR_SECONDS);
    // Before the next heartbeat, too: the instance notices the jump of its own clock.
    await until(true, async () => secondsAhead(await wrong.time()) > HOUR_SECONDS / 2);
    const refused = await publish(wrong, 'live');
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '1']);
    expect(problem(refused).detail).to.include('its clock differs from the clock of the database');
    await publishAll(right, [publication({ id: unique() })]);
  });

  it('assigns no time beyond the clock of the database and 5 s', async () => {
    clock.ahead(HOUR_SECONDS);
    await until(true, async () => secondsAhead(await wrong.time()) > HOUR_SECONDS / 2);
    const at = new Date(Date.now() + HOUR_SECONDS * 1_000).toISOString();
    expect((await publish(wrong, 'backfill', { scored_at: at })).status).to.equal(200);
    const head = (await db('feed_head').first('head')) as { head: string };
    expect(secondsAhead(head.head)).to.be.below(10);
  });

  it('revokes a key for every instance within 1.5 s when it is 40 s ahead (D39)', async () => {
    const { key, key_id } = await aKey(right);
    expect((await right.news(key)).status).to.equal(200);
    clock.ahead(40);
    await until(true, async () => secondsAhead(await wrong.time()) > 20);
    expect((await actOn(wrong, key_id, 'revoke', { cause: 'manual', reason: 'test' })).status).to.equal(200);
    const revokedAt = performance.now();
    await until(401, async () => (await right.news(key)).status);
    expect(performance.now() - revokedAt).to.be.at.most(1_500);
  });

  it('is degraded, and works, when it deviates by 3 s', async () => {
    clock.ahead(3);
    await wrong.line('the clock of this machine is 3.0 s ahead of that of Postgres');
    expect(await ready(wrong)).to.deep.equal([200, 'degraded']);
    expect((await publish(wrong, 'live')).status).to.equal(200);
  });
});
