import { expect } from 'chai';
import type { Knex } from 'knex';
import { lockFeed } from '../../../../src/adapters/postgres/feed/feed-writing.js';
import { PostgresFeedPast } from '../../../../src/adapters/postgres/feed/postgres-feed-past.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import type { ListedItem } from '../../../../src/application/ports/feed/feed-store.js';
import { HOUR, MICROSECOND, type Moment, plus } from '../../../../src/domain/moment.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { NOON } from '../../../support/objects/builders.js';
import { EVERYTHING } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

/**
 * Publications that wait together are one transaction. A backfill of it can get the time of an item that a later publication of it
 * replaces. Between the two changes, two versions have this time.
 */
describe('A page of the past between two changes of one transaction (D60)', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  const TIME = plus(NOON, -HOUR);
  const of = (id: string, text: string, scoredAt: Moment): ListedItem => ({
    id,
    scoredAt,
    json: Buffer.from(JSON.stringify(text)),
    subMarketIds: ['m1'],
  });

  it('has only the later one of two versions with one time, in one place', async () => {
    const feed = new PostgresFeedStore(db);
    await feed.publish([of('old', 'old', TIME), of('below', 'below', plus(TIME, -MICROSECOND))], 'backfill');
    const holder = await db.transaction();
    await lockFeed(holder);
    const answers: Promise<unknown>[] = [feed.publish([of('first', 'first', NOON)], 'live')];
    await nextImmediate();
    answers.push(feed.publish([of('new', 'new', TIME)], 'backfill'));
    answers.push(feed.publish([of('old', 'replaced', NOON)], 'live'));
    await nextImmediate();
    await holder.commit();
    await Promise.all(answers);
    const times = await db('item').where({ scored_at: TIME }).pluck('id');
    expect(times).to.deep.equal(['new']);
    const n = Number((await db('feed_change').where({ item_id: 'new' }).pluck('n'))[0]);
    const past = new PostgresFeedPast(db);
    const { point } = await past.find({ by: 'position', position: { n, mark: '' } });
    const below = { ...EVERYTHING, before: plus(TIME, MICROSECOND), count: 2 };
    for (const marketId of [null, 'm1']) {
      const page = await past.page({ ...below, marketId }, point ?? expect.fail('no such change'));
      expect(page.map(({ item }) => item?.json.toString())).to.deep.equal(['"new"', '"below"']);
    }
  });
});
