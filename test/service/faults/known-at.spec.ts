import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../../../src/adapters/postgres/connection.js';
import { backupOf } from '../../support/dumps/backup.js';
import { publication, timedNow } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { startTestRedis, type TestRedis } from '../../support/servers/redis.js';
import { ndjson, publishAll, unique } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { launchInstance, type Service, serviceOf } from '../../support/service/running-service.js';
import { type SetClock, setClock } from '../../support/service/set-clock.js';
import { until } from '../../support/until.js';

const HOUR_SECONDS = 3_600;
/** The lock of the writers of the feed. */
const FEED_LOCK = "hashtextextended('oddswire feed ' || current_schema(), 0)";

type Row = { readonly n: number; readonly item_id: string; readonly known_at: string };

/** D59: `known_at` is the time of the database, and never falls from one change to the next. */
describe('The `known_at` of changes', function () {
  this.timeout(90_000);
  let clock: SetClock;
  let postgres: TestPostgres;
  let redis: TestRedis;
  let service: Service;
  let right: Client;
  let ahead: Client;
  let db: Knex;
  let backfilled = 0;
  before(async () => {
    clock = setClock(HOUR_SECONDS);
    [postgres, redis] = await Promise.all([startTestPostgres(), startTestRedis()]);
    const environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
    const one = await launchInstance(environment).listening;
    const other = await launchInstance({ ...environment, ...clock.settings }).listening;
    service = serviceOf(one, other);
    [right, ahead] = await Promise.all([Client.of(serviceOf(one)), Client.of(serviceOf(other))]);
    db = connect(postgres.url, REQUEST_TIMEOUTS, 4);
  });
  after(async () => {
    await disconnect(db);
    await service.stop();
    await Promise.all([postgres.stop(), redis.stop()]);
    clock.remove();
  });

  /** With a time in the past: an instance whose clock is wrong refuses live publications (D5). */
  const publish = async (client: Client, id: string): Promise<void> => {
    backfilled += 1;
    const scored_at = new Date(Date.parse('2026-03-01T12:00:00Z') + backfilled * 1_000).toISOString();
    const { status } = await client.publish(ndjson([publication({ id, scored_at })]), '?mode=backfill');
    expect(status, id).to.equal(200);
  };

  /** The changes in the order of their numbers; fails if one is known before the change before it. */
  async function changes(): Promise<readonly Row[]> {
    const { rows } = await db.raw<{ rows: readonly Row[] }>(
      'select n, item_id, known_at from feed_change where known_at is not null order by n',
    );
    const falling = await db.raw<{ rows: readonly unknown[] }>(
      `select n from (select n, known_at, lag(known_at) over (order by n) as before from feed_change) as change
       where known_at < before`,
    );
    expect(falling.rows).to.deep.equal([]);
    return rows;
  }

  const knownAt = (rows: readonly Row[], id: string): number =>
    Date.parse(rows.find(({ item_id }) => item_id === id)?.known_at ?? '');

  it('never falls, and is no time of an instance, with two instances whose clocks are an hour apart', async () => {
    const ids = Array.from({ length: 20 }, unique);
    const together = Array.from({ length: 20 }, unique);
    const from = Date.now();
    for (const [i, id] of ids.entries()) await publish(i % 2 === 0 ? ahead : right, id);
    await Promise.all(together.map((id, i) => publish(i % 3 === 0 ? ahead : right, id)));
    await publishAll(right, [timedNow(publication({ id: ids[1] ?? '' }))]);
    await ahead.retract(ids[0] ?? '');
    const rows = await changes();
    expect(rows.filter(({ item_id }) => [...ids, ...together].includes(item_id))).to.have.length(42);
    for (const id of [...ids, ...together]) {
      expect(knownAt(rows, id)).to.be.within(from - 1_000, Date.now() + 1_000);
    }
  });

  it('is the time at which a transaction that waited for the lock of the feed made its changes', async () => {
    const [late, early] = [unique(), unique()];
    const retract = (tx: Knex.Transaction, id: string) =>
      tx.raw(
        `with state as (update feed_head set last_n = last_n + 1 returning last_n)
         insert into feed_change (n, kind, item_id, scored_at) select last_n, 'retracted', ?, null from state`,
        [id],
      );
    // It begins before the publication that it waits for.
    const waiting = await db.transaction();
    await waiting.raw('select now()');
    const holder = await db.transaction();
    await holder.raw(`select pg_advisory_xact_lock(${FEED_LOCK})`);
    const waited = waiting.raw(`select pg_advisory_xact_lock(${FEED_LOCK})`).then(async () => {
      await retract(waiting, late);
      await waiting.commit();
    });
    await until(1, async () => {
      const { rows } = await db.raw("select from pg_locks where locktype = 'advisory' and not granted");
      return rows.length;
    });
    await retract(holder, early);
    await holder.commit();
    await waited;
    const rows = await changes();
    expect(knownAt(rows, late)).to.be.at.least(knownAt(rows, early));
    await publish(right, unique());
    await changes();
  });

  it('never falls after an older dump was restored, also from a server whose clock was ahead', async () => {
    await publishAll(right, [publication({ id: 'in-the-dump' })]);
    await db.raw(
      `update feed_change set known_at = known_at + interval '1 hour' where n = (select max(n) from feed_change)`,
    );
    const dump = await backupOf(postgres.url);
    await publishAll(right, [publication({ id: 'lost' })]);
    await dump.restore(postgres.url);
    const id = unique();
    await until(200, async () => (await right.publish(ndjson([publication({ id })]), '?mode=live')).status);
    await publish(ahead, unique());
    const rows = await changes();
    expect(rows.some(({ item_id }) => item_id === 'lost')).to.equal(false);
    expect(knownAt(rows, id)).to.be.at.least(knownAt(rows, 'in-the-dump'));
  });
});
