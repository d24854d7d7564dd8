import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { lockFeed } from '../../../../src/adapters/postgres/feed/feed-writing.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import type { ListedItem } from '../../../../src/application/ports/feed/feed-store.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { until } from '../../../support/until.js';

const HOUR_MICROS = 3_600_000_000;

/** The triggers alone, with the clock of the database set back. `service/faults/known-at.spec.ts` has the whole service. */
describe('The trigger that sets `known_at` (D59)', () => {
  let schema: Schema;
  let db: Knex;
  let feed: PostgresFeedStore;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect(4);
    feed = new PostgresFeedStore(db);
  });
  after(() => schema.close());

  const item = (id: string): ListedItem => ({
    id,
    scoredAt: NOON,
    json: Buffer.from('{}'),
    subMarketIds: [],
  });
  const textOf = async (sql: string, ...values: readonly string[]): Promise<string> => {
    const { rows } = await db.raw<{ rows: readonly { readonly text: string }[] }>(
      `select to_char((${sql}), 'YYYY-MM-DD"T"HH24:MI:SS.US') as text`,
      [...values],
    );
    return rows[0]?.text ?? expect.fail('no row');
  };
  const knownAt = (id: string) =>
    textOf('select known_at from feed_change where item_id = ? order by n desc limit 1', id);

  it('takes the time of the change before when the clock was set back', async () => {
    await db('test_clock').update({ offset_micros: HOUR_MICROS });
    await feed.publish([item('ahead')], 'live');
    await db('test_clock').update({ offset_micros: 0 });
    await feed.publish([item('back')], 'live');
    expect(await knownAt('back')).to.equal(await knownAt('ahead'));
    await db('test_clock').update({ offset_micros: 2 * HOUR_MICROS });
    await feed.publish([item('later')], 'live');
    expect((await knownAt('later')) > (await knownAt('back'))).to.equal(true);
    await db('test_clock').update({ offset_micros: 0 });
  });

  it('takes the time at which the lock of the feed was had, and not that at which the transaction began', async () => {
    const offset = 3 * HOUR_MICROS;
    await db('test_clock').update({ offset_micros: offset });
    const holder = await db.transaction();
    await lockFeed(holder);
    const publishing = feed.publish([item('waiting')], 'live');
    const waiting =
      "select from pg_stat_activity where wait_event = 'advisory' and query like '%oddswire feed%'";
    await until(true, async () => (await db.raw(waiting)).rows.length > 0);
    await setTimeout(5);
    const released = await textOf(`select clock_timestamp() + ${offset} * interval '1 microsecond'`);
    await holder.commit();
    await publishing;
    expect((await knownAt('waiting')) > released).to.equal(true);
  });
});
