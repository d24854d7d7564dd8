import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresFeedHistory } from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import type { StoredChange } from '../../../../src/application/ports/feed/feed-history.js';
import { FIRST_MOMENT, MICROSECOND, plus } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { withoutTriggers } from '../../../support/servers/without-triggers.js';
import { feedStoreBefore } from '../../../support/versions/feed-store-before.js';
import { VERSION_BEFORE } from '../../../support/versions/version-before.js';

const item = (id: string, micros: number, text = id) => ({
  ...{ id, scoredAt: plus(NOON, micros * MICROSECOND), subMarketIds: ['m'] },
  json: Buffer.from(JSON.stringify(text)),
});

const short = (change: StoredChange): string =>
  'item' in change
    ? `${change.kind} ${change.id}: ${JSON.parse(String(change.item?.json ?? '"-"'))}`
    : change.kind;

describe(`The changes of items that ${VERSION_BEFORE} has published before the history was installed`, () => {
  let schema: Schema;
  let db: Knex;
  let before: Awaited<ReturnType<typeof feedStoreBefore>>;
  let now: PostgresFeedStore;
  let history: PostgresFeedHistory;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    [before, now] = [await feedStoreBefore(db), new PostgresFeedStore(db)];
    history = new PostgresFeedHistory(db);
  });
  afterEach(() => schema.close());

  /** Publishes as before the triggers of the history existed: without numbers and kinds. */
  const publishBefore = async (...items: readonly ReturnType<typeof item>[]) => {
    const [row] = await db('feed_change').max('n as last');
    await before.publish(items, 'live');
    const ids = items.map(({ id }) => `'${id}'`).join(', ');
    await withoutTriggers(
      db,
      `update item set n = null where id in (${ids})`,
      `update feed_change set kind = null where n > ${row?.last}`,
    );
  };

  const changes = async () => (await history.changes(1, 100)).changes.map(short);
  const numbers = async () =>
    (await history.itemsAfter(FIRST_MOMENT, 100)).items.map(({ id, n }) => `${id} ${n}`);

  it('has each item with the change that gave it its time', async () => {
    await publishBefore(item('a', 1, 'first'), item('b', 2));
    await publishBefore(item('a', 3, 'second'));
    expect(await changes()).to.deep.equal(['replaced a: -', 'replaced b: b', 'replaced a: second']);
    expect(await numbers()).to.deep.equal(['b 2', 'a 3']);
  });

  it('has no item for changes before those of this version, and the other way round', async () => {
    await publishBefore(item('a', 1, 'first'), item('b', 2, 'first'), item('c', 3));
    await now.publish([item('a', 4, 'second')], 'live');
    await now.retract('b');
    await publishBefore(item('a', 5, 'third'));
    await before.retract('c');
    expect(await changes()).to.deep.equal([
      ...['replaced a: -', 'replaced b: -', 'replaced c: -', 'replaced a: -'],
      ...['retracted', 'replaced a: third', 'retracted'],
    ]);
    expect(await numbers()).to.deep.equal(['a 6']);
  });

  it('has the number 0 for an item whose change is no longer in the log', async () => {
    await publishBefore(item('a', 1), item('b', 2));
    await now.publish([item('c', 3), item('d', 4)], 'live');
    await withoutTriggers(db, 'delete from feed_change where n < 2');
    expect(await numbers()).to.deep.equal(['a 0', 'b 2', 'c 3', 'd 4']);
    await withoutTriggers(db, 'delete from feed_change where n < 4');
    expect(await numbers()).to.deep.equal(['a 0', 'b 0', 'c 3', 'd 4']);
  });
});
