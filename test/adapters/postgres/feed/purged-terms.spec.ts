import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresUnindexedItems } from '../../../../src/adapters/postgres/feed/postgres-unindexed-items.js';
import type { FeedStore, ListedItem, PurgeOrder } from '../../../../src/application/ports/feed/feed-store.js';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import { type Term, termOf } from '../../../../src/domain/feed/filters/item-terms.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const ORDER: PurgeOrder = { actor: 'operator', reason: 'a test' as Reason };

const withHeadline = (id: string, headline: string): ListedItem => ({
  id,
  scoredAt: NOON,
  subMarketIds: [],
  json: Buffer.from(JSON.stringify({ news_event: { headline, source_tier: 't1' } })),
});

const WORDS: readonly Term[] = ['cuts', 'fed', 'holds', 'zyzzyva'].map((word) => termOf('word', word));

describe('The terms of a purged item in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  let feed: FeedStore;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    feed = postgresFeed(db);
  });
  afterEach(() => schema.close());
  const stored = async () =>
    (await db('term').whereIn('name', WORDS).orderBy('name').select('name')).map(({ name }) => name);

  it('are deleted unless another item has them, also those of earlier versions (D62)', async () => {
    await feed.publish([withHeadline('a', 'Fed zyzzyva')], 'live');
    await feed.publish([withHeadline('a', 'Fed cuts'), withHeadline('b', 'Fed holds')], 'live');
    expect(await stored()).to.deep.equal(WORDS);
    expect(await feed.purge('a', ORDER)).to.equal('purged');
    expect(await stored()).to.deep.equal([termOf('word', 'fed'), termOf('word', 'holds')]);
    expect(await db('item_version').select('id', 'json')).to.deep.equal([
      { id: 'a', json: null },
      { id: 'a', json: null },
    ]);
    const change = await db('purge').join('feed_change', 'feed_change.n', 'purge.n').first();
    expect(change).to.include({ item_id: 'a', kind: 'purged', scored_at: null, ...ORDER });
  });

  it('stay if an item that is not among the newest ones has them', async () => {
    await feed.publish([withHeadline('old', 'zyzzyva')], 'live');
    const others = Array.from({ length: 1_000 }, (_, i) => withHeadline(`o${i}`, 'Fed'));
    await feed.publish(others, 'live');
    await feed.publish([withHeadline('a', 'Fed zyzzyva cuts')], 'live');
    await feed.purge('a', ORDER);
    expect(await stored()).to.deep.equal([termOf('word', 'fed'), termOf('word', 'zyzzyva')]);
  });

  it('stay if an item is being indexed that has them', async () => {
    await feed.publish([withHeadline('a', 'zyzzyva'), withHeadline('b', 'zyzzyva')], 'live');
    await feed.retract('a');
    await db.raw('truncate item_terms, item_facet');
    await db('item').where({ id: 'b' }).update({ has_terms: null });
    const blocker = await db.transaction();
    await blocker.raw('lock table item_terms in share mode');
    const indexed = new PostgresUnindexedItems(schema.connect()).index(10);
    await waiting(db, 1);
    const purged = feed.purge('a', ORDER);
    await waiting(db, 2);
    await blocker.commit();
    expect([await indexed, await purged]).to.deep.equal([1, 'purged']);
    expect(await stored()).to.deep.equal([termOf('word', 'zyzzyva')]);
  });
});

/** Resolves when so many sessions of this database wait for a lock. */
async function waiting(db: Knex, count: number): Promise<void> {
  for (;;) {
    const { rows } = await db.raw<{ rows: readonly { readonly n: number }[] }>(
      "select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if ((rows[0]?.n ?? 0) >= count) return;
  }
}
