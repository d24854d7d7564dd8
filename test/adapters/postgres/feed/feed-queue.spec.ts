import { expect } from 'chai';
import type { Knex } from 'knex';
import { readPageOf } from '../../../../src/adapters/postgres/feed/feed-queries.js';
import { lockFeed } from '../../../../src/adapters/postgres/feed/feed-writing.js';
import { PostgresFeedHistory } from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import type { RenderedItem } from '../../../../src/application/ports/feed/feed-store.js';
import { PublicationRefused } from '../../../../src/application/unavailable.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { EVERYTHING, item } from '../../../support/objects/listed-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { signal } from '../../../support/service/composed.js';

describe('The queue of publications of one instance', () => {
  const QUEUE_MS = 100;
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  /** Runs `work` while another instance has the lock of the feed. */
  const whileLocked = async (work: () => Promise<void>) => {
    const [locked, unlock] = [signal(), signal()];
    const other = db.transaction(async (tx) => {
      await lockFeed(tx);
      locked.send();
      await unlock.sent;
    });
    await locked.sent;
    await work();
    unlock.send();
    await other;
  };
  const logged = async (first: number) =>
    (await new PostgresFeedHistory(db).changes(first, 100)).changes.map(({ kind, position, ...change }) =>
      [position.n - first, kind, 'id' in change ? change.id : ''].join(' '),
    );
  const lastChange = async () => (await readPageOf(db, EVERYTHING)).lastChange;

  it('writes publications that wait together in one transaction, in their order, and answers each', async () => {
    const store = new PostgresFeedStore(db);
    const first = (await lastChange()) + 1;
    const sent: string[] = [];
    const note = ({ sql }: { readonly sql: string }) => sent.push(sql);
    const answers: Promise<unknown>[] = [];
    const ids = (items: Promise<readonly RenderedItem[]>) => items.then((all) => all.map(({ id }) => id));
    await whileLocked(async () => {
      db.on('query', note);
      answers.push(store.publish([item('first', 1)], 'live'));
      await nextImmediate();
      answers.push(ids(store.publish([item('b', 2), item('c', 3)], 'live')));
      answers.push(ids(store.publish([item('b', 4)], 'live')));
      answers.push(ids(store.publish([item('past', -5)], 'backfill')));
      answers.push(store.retract('c'));
      answers.push(ids(store.publish([item('d', 6)], 'live')));
    });
    const [, ...others] = await Promise.all(answers);
    db.off('query', note);
    expect(others).to.deep.equal([['b', 'c'], ['b'], ['past'], true, ['d']]);
    expect(await logged(first)).to.deep.equal([
      '0 published first',
      ...['1 published b', '2 published c', '3 replaced b', '4 published past'],
      ...['5 retracted c', '6 published d'],
    ]);
    // The second publication of `b` is not in the group of the first one: both versions are in the history (D59).
    expect(sent.filter((sql) => sql === 'BEGIN;')).to.have.length(5);
  });

  it('stores the others of a group of which one cannot be stored', async () => {
    const store = new PostgresFeedStore(db);
    const outcome = (published: Promise<unknown>) =>
      published.then(
        () => 'stored',
        () => 'failed',
      );
    const outcomes: Promise<string>[] = [];
    await whileLocked(async () => {
      outcomes.push(outcome(store.publish([item('before', 10)], 'live')));
      await nextImmediate();
      // Postgres cannot store the name of the second market.
      for (const [id, market] of Object.entries({ good: 'm', bad: 'm\0', 'good too': 'm' }))
        outcomes.push(outcome(store.publish([item(id, 11, market)], 'live')));
    });
    expect(await Promise.all(outcomes)).to.deep.equal(['stored', 'stored', 'failed', 'stored']);
  });

  it('writes a large publication alone', async () => {
    const store = new PostgresFeedStore(db);
    const large = { ...item('large', 20), json: Buffer.from('{}'.padEnd(300_000)) };
    const sent: string[] = [];
    db.on('query', ({ sql }: { readonly sql: string }) => sent.push(sql));
    const small = [1, 2].map((n) => store.publish([item(`small ${n}`, 20 + n)], 'live'));
    await Promise.all([...small, store.publish([large], 'live')]);
    expect(sent.filter((sql) => sql === 'BEGIN;')).to.have.length(2);
  });

  it('refuses a publication that waits too long, stores none of it, and goes on behind the slow one', async () => {
    const store = new PostgresFeedStore(db, QUEUE_MS);
    let micros = 1;
    const publish = (id: string) => store.publish([item(id, micros++)], 'live');
    const others: Promise<unknown>[] = [];
    let refused: unknown = null;
    await whileLocked(async () => {
      others.push(publish('slow'));
      await nextImmediate();
      refused = await publish('refused').catch((fault: unknown) => fault);
      others.push(publish('later'));
    });
    await Promise.all(others);
    expect(refused).to.be.instanceOf(PublicationRefused);

    const { items } = await store.find(['slow', 'refused', 'later']);
    expect(items.map(({ id }) => id).toSorted()).to.deep.equal(['later', 'slow']);
  });
});
