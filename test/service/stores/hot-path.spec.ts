import { expect } from 'chai';
import sinon from 'sinon';
import { PostgresFeedStore } from '../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PostgresGate } from '../../../src/adapters/postgres/keys/postgres-gate.js';
import { RedisCounters } from '../../../src/adapters/redis/redis-counters.js';
import { FairQueue } from '../../../src/adapters/resilience/fair-queue.js';
import { freshDatabase } from '../../support/servers/postgres.js';
import { redisUrl, serverUrl } from '../../support/servers/stores.js';
import {
  type Composed,
  composed,
  type Holder,
  keyHolder,
  publish,
  requestNews,
} from '../../support/service/composed.js';

/** Enough requests for a subject to count as busy and get a permit lease. */
const MANY = 60;

describe('The hot path over Postgres and Redis', () => {
  let service: Composed;
  let holder: Holder;
  let stores: sinon.SinonSpy[];
  let counters: sinon.SinonSpy[];
  before(async () => {
    stores = [
      sinon.spy(PostgresGate.prototype, 'find'),
      sinon.spy(FairQueue.prototype, 'run'), // Pages.
      sinon.spy(PostgresFeedStore.prototype, 'find'),
    ];
    counters = [sinon.spy(RedisCounters.prototype, 'take'), sinon.spy(RedisCounters.prototype, 'giveBack')];
    service = await composed({ DATABASE_URL: await freshDatabase(serverUrl()), REDIS_URL: redisUrl() });
    holder = await keyHolder(service);
    await publish(service, 'ne_1', 'ne_2', 'ne_3');
  });
  after(async () => {
    sinon.restore();
    await service.stop();
  });

  const calls = (spies: readonly sinon.SinonSpy[]) =>
    spies.reduce((sum, { callCount }) => sum + callCount, 0);
  /** Sends `times` requests in sequence. Returns how many calls to Postgres and to Redis they caused. */
  const callsOf = async (times: number, query = '') => {
    const before = { stores: calls(stores), counters: calls(counters) };
    for (let i = 0; i < times; i += 1) {
      expect((await requestNews(service, holder.value, {}, query)).status).to.equal(200);
    }
    return { stores: calls(stores) - before.stores, counters: calls(counters) - before.counters };
  };
  /** Repeats until two requests need no call to Redis, because one lease covers them. */
  const withinALease = async (query = '') => {
    for (let tries = 0; tries < 50; tries += 1) {
      await callsOf(MANY, query);
      const seen = await callsOf(2, query);
      if (seen.counters === 0) return seen;
    }
    throw new Error('no two requests in a row were within a lease');
  };

  it('calls neither Postgres nor Redis for the same page within a lease', async () => {
    expect(await withinALease()).to.deep.equal({ stores: 0, counters: 0 });
  });

  it('does not call Postgres for other pages of the newest items, or for one of a market', async () => {
    for (const query of [
      '?limit=2',
      '?since=2026-03-01',
      '?market_id=s-ne_2',
      '?news_id=ne_1',
      '?cursor=2027-01-01',
    ]) {
      expect((await withinALease(query)).stores, query).to.equal(0);
    }
  });
});
