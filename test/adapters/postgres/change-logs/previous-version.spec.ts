import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresAccounts } from '../../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresChangeLogs } from '../../../../src/adapters/postgres/postgres-change-logs.js';
import type { Accounts } from '../../../../src/application/ports/accounts/accounts.js';
import { MICROSECOND, type Moment, plus } from '../../../../src/domain/moment.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { changesAfter, hashesIn } from '../../../support/copies/logged-changes.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { anAccount } from '../../../support/service/accounts.js';
import { feedStoreBefore } from '../../../support/versions/feed-store-before.js';
import { moduleBefore, VERSION_BEFORE } from '../../../support/versions/version-before.js';

type AccountsBefore = { readonly PostgresAccounts: new (db: Knex) => Accounts };

describe(`Changes by an instance of ${VERSION_BEFORE}`, () => {
  let schema: Schema;
  let db: Knex;
  let logs: PostgresChangeLogs;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    logs = new PostgresChangeLogs(schema.url);
  });
  afterEach(async () => {
    await logs.close();
    await schema.close();
  });

  const at = (micros: number): Moment => plus(NOON, micros * MICROSECOND);
  const item = (id: string, micros: number) => ({
    ...{ id, scoredAt: at(micros), json: Buffer.from('{}'), subMarketIds: [] },
  });
  const RANGE = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 10 };

  it('are in the log of the feed with their kinds', async () => {
    const [before, now] = [await feedStoreBefore(db), postgresFeed(db)];
    const start = await logs.newest();
    await before.publish([item('a', 1), item('b', 2)], 'live');
    await now.publish([item('b', 3)], 'live');
    await before.retract('b');
    const { feed, positions } = await changesAfter(logs, start);
    expect(feed.map(({ position, knownAt: _, ...change }) => [position.n, change])).to.deep.equal([
      [1, { kind: 'published', id: 'a', scoredAt: at(1) }],
      [2, { kind: 'published', id: 'b', scoredAt: at(2) }],
      [3, { kind: 'replaced', id: 'b', scoredAt: at(3) }],
      [4, { kind: 'retracted', id: 'b' }],
    ]);
    expect(positions).to.deep.equal(await logs.newest());
    expect((await now.page(RANGE)).position).to.deep.equal(positions.feed);
  });

  it('give their items the numbers of the changes (D59)', async () => {
    await (await feedStoreBefore(db)).publish([item('a', 1)], 'live');
    const feed = postgresFeed(db);
    await feed.publish([item('b', 2)], 'live');
    expect(await db('item').orderBy('id').pluck('n')).to.deep.equal([1, 2]);
    expect((await feed.page(RANGE)).items.map(({ id }) => id)).to.deep.equal(['b', 'a']);
    expect((await feed.find(['a'])).items).to.deep.equal([{ ...item('a', 1), n: 1 }]);
    expect(await feed.retract('a')).to.equal(true);
  });

  it('are in the log of accounts', async () => {
    const module = (await moduleBefore('adapters/postgres/accounts/postgres-accounts.js')) as AccountsBefore;
    const account = await anAccount(new PostgresAccounts(db), 2);
    const start = await logs.newest();
    const before = new module.PostgresAccounts(db);
    await before.change(account.id, (found) => ({
      next: { ...found, subscription: { ...found.subscription, state: 'paused' } },
      entries: [],
    }));
    await before.change(account.id, (found) => ({ next: { ...found }, entries: [] }));
    const hashes = account.keys.map(({ hash }) => hash).sort();
    expect(hashesIn(await changesAfter(logs, start))).to.deep.equal([hashes]);
  });

  it('have no position if they were logged before there were marks', async () => {
    await postgresFeed(db).publish([item('a', 1), item('b', 2)], 'live');
    await db('feed_change').where({ n: 1 }).update({ mark: null });
    const { accounts } = await logs.newest();
    expect(await logs.readAfter({ accounts, feed: { n: 1, mark: '0'.repeat(16) } })).to.deep.equal({
      found: 'older state',
    });
  });
});
