import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { readFilteredPageOf } from '../../../../src/adapters/postgres/feed/filtered-pages.js';
import { PostgresFeedStore } from '../../../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PostgresUnindexedItems } from '../../../../src/adapters/postgres/feed/postgres-unindexed-items.js';
import type { FeedStore, ListedItem } from '../../../../src/application/ports/feed/feed-store.js';
import { NotNow } from '../../../../src/application/unavailable.js';
import { FACETS, type Facet } from '../../../../src/domain/feed/filters/facets.js';
import {
  TERMS,
  type Term,
  type TermTable,
  termOf,
  termTable,
} from '../../../../src/domain/feed/filters/item-terms.js';
import { HOUR, plus } from '../../../../src/domain/moment.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { NOON, runs } from '../../../support/objects/builders.js';
import { at, EVERYTHING } from '../../../support/objects/listed-items.js';
import {
  market,
  pagesOf,
  passing,
  searchableItems,
  termFilter,
  walkOf,
} from '../../../support/objects/searchable-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';
import { feedStoreBefore } from '../../../support/versions/feed-store-before.js';
import { VERSION_BEFORE } from '../../../support/versions/version-before.js';

const numbered = (count: number, headline = (n: number) => `item n${n}`): readonly ListedItem[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `i${n}`,
    scoredAt: at(n),
    subMarketIds: [],
    json: Buffer.from(JSON.stringify({ news_event: { headline: headline(n), source_tier: 't1' } })),
  }));

describe('A page with a filter by terms in Postgres', () => {
  let schema: Schema;
  let db: Knex;
  let feed: FeedStore;
  beforeEach(async () => {
    schema = await freshSchema();
    db = schema.connect();
    feed = postgresFeed(db);
  });
  afterEach(() => schema.close());

  const forget = async (...ids: readonly string[]) => {
    const times = await db('item').whereIn('id', ids).update({ has_terms: null }).returning('scored_at');
    const scoredAt = times.map(({ scored_at }: { scored_at: string }) => scored_at);
    for (const table of ['item_terms', 'item_facet']) await db(table).whereIn('scored_at', scoredAt).delete();
  };
  const idsOf = async (...names: readonly string[]): Promise<readonly string[]> => {
    const terms = names.map((name) => [termOf('word', name)]);
    return (await feed.page({ ...EVERYTHING, terms })).items.map(({ id }) => id);
  };
  const rows = async (table: string) => Number((await db(table).count())[0]?.['count']);

  it('has the same items whichever of them have no terms yet (D57)', async () => {
    const items = searchableItems(20);
    const asked = fc.record({ terms: termFilter, marketId: market, limit: fc.integer({ min: 1, max: 5 }) });
    const property = fc.asyncProperty(
      items,
      fc.array(fc.nat(40)),
      fc.nat(5),
      asked,
      async (sent, gone, indexed, query) => {
        for (const table of ['item', 'item_sub_market']) await db(table).delete();
        const published = await feed.publish(sent, 'backfill');
        const stored = sent.map((item, i) => ({
          ...item,
          scoredAt: published[i]?.scoredAt ?? item.scoredAt,
        }));
        await forget(...gone.map((n) => `i${n}`));
        await new PostgresUnindexedItems(db).index(indexed);
        const { limit, ...filtered } = query;
        expect(await walkOf(feed, filtered, limit)).to.deep.equal(pagesOf(passing(stored, filtered), limit));
      },
    );
    await fc.assert(property, runs(60));
  });

  /** As the first version of the terms stored them: `has_terms` is true, and there is no version. */
  const publishOlder = async (items: readonly ListedItem[]) => {
    const older: TermTable = {
      ...TERMS,
      listsOf: (item) => ({ single: TERMS.listsOf(item).single, packs: [] }),
    };
    await new PostgresFeedStore(db, undefined, older).publish(items, 'live');
    await db('item').update({ terms_version: null });
  };
  const byFacet = async (facet: Facet, value: string): Promise<readonly string[]> => {
    const { items } = await feed.page({ ...EVERYTHING, terms: [[termOf(facet, value)]] });
    return items.map(({ id }) => id);
  };
  const byAuthor = (author: string) => byFacet('author', author);
  const authored = (count: number, author: string) =>
    numbered(count).map((item, n) => ({
      ...item,
      json: Buffer.from(
        JSON.stringify({ news_event: { headline: `item n${n}`, author, feed_categories: ['politics'] } }),
      ),
    }));

  it('needs no newer terms for an older filter, and tests a bounded number of items for a newer one (D57)', async () => {
    await publishOlder(authored(1_200, 'L. O’Brien'));
    expect([await idsOf('n700'), await idsOf('none')]).to.deep.equal([['i700'], []]);
    expect(await byFacet('category', 'politics')).to.have.length(500);
    expect(await byFacet('category', 'none')).to.deep.equal([]);
    expect(await byAuthor('l-o-brien')).to.have.length(500);
    expect(await byAuthor('nobody').catch((fault: unknown) => fault)).to.be.instanceOf(NotNow);
    const job = new PostgresUnindexedItems(db);
    expect(await job.index(200)).to.equal(200);
    expect(await byAuthor('nobody')).to.deep.equal([]);
    const written = await db('item').where({ terms_version: 2 }).orderBy('scored_at').pluck('id');
    expect([written.length, written[0]]).to.deep.equal([200, 'i1000']);
  });

  it(`finds by a newer facet what ${VERSION_BEFORE} and the first version of the terms store beside it`, async () => {
    const [first, second, third] = authored(3, 'L. O’Brien');
    if (first === undefined || second === undefined || third === undefined) throw new Error('no items');
    await publishOlder([first]);
    await feed.publish([second], 'live');
    await (await feedStoreBefore(db)).publish([third], 'live');
    expect(await byAuthor('l-o-brien')).to.deep.equal(['i2', 'i1', 'i0']);
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(2);
    expect(await byAuthor('l-o-brien')).to.deep.equal(['i2', 'i1', 'i0']);
    expect(await db('item').pluck('terms_version')).to.deep.equal([2, 2, 2]);
  });

  it('finds all items by a facet that the next version adds, before and after their terms are written again', async () => {
    const next = termTable({
      ...FACETS,
      headline: {
        since: 3,
        pack: null,
        valuesOf: ({ news_event: event }) => [event?.headline],
        fold: String,
      },
    });
    const [first, second] = numbered(2, () => 'same');
    if (first === undefined || second === undefined) throw new Error('no items');
    await feed.publish([first], 'live');
    await new PostgresFeedStore(db, undefined, next).publish([second], 'live');
    const found = async () => {
      const terms = [['headline:same' as Term]];
      return (await readFilteredPageOf(db, { ...EVERYTHING, terms }, next)).items.map(({ id }) => id);
    };
    expect(await found()).to.deep.equal(['i1', 'i0']);
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(0);
    expect(await new PostgresUnindexedItems(db, next).index(10)).to.equal(1);
    expect(await found()).to.deep.equal(['i1', 'i0']);
    expect(await db('item').pluck('terms_version')).to.deep.equal([3, 3]);
  });

  it('has items below the newest 1,000, which are not tested one by one', async () => {
    await feed.publish(
      numbered(
        1_300,
        (n) =>
          `item n${n} ${n < 200 ? 'old' : 'new'} ${n % 2 === 0 ? 'even' : 'odd'} ${n % 10 === 0 ? 'tens' : ''}`,
      ),
      'live',
    );
    expect(await idsOf('n7')).to.deep.equal(['i7']);
    expect((await idsOf('old', 'even')).slice(0, 3)).to.deep.equal(['i198', 'i196', 'i194']);
    expect(await idsOf('odd', 'even')).to.deep.equal([]);
    const tens = await idsOf('tens');
    expect([tens.length, tens.at(0), tens.at(-1)]).to.deep.equal([130, 'i1290', 'i0']);
    expect(new Set(tens).size).to.equal(130);
    const range = { ...EVERYTHING, terms: [[termOf('word', 'even')]] };
    const below = await feed.page({ ...range, before: at(1_250), since: at(220) });
    expect([below.items.length, below.items[0]?.id]).to.deep.equal([500, 'i1248']);
    const deep = await feed.page({
      ...range,
      since: at(100),
      before: at(1_299),
      terms: [[termOf('word', 'old')]],
    });
    expect([deep.items.length, deep.items.at(-1)?.id]).to.deep.equal([100, 'i100']);
  });

  it('tests many items without terms in one snapshot, and refuses the page when there are too many', async () => {
    await (await feedStoreBefore(db)).publish(numbered(1_200), 'live');
    expect(await idsOf('item')).to.have.length(500);
    expect(await idsOf('n700').catch((fault: unknown) => fault)).to.be.instanceOf(NotNow);
    await new PostgresUnindexedItems(db).index(200);
    expect(await idsOf('n700')).to.deep.equal(['i700']);
    expect(await idsOf('n0')).to.deep.equal(['i0']);
  });

  it(`has the items that ${VERSION_BEFORE} stores, replaces and retracts during a rolling update`, async () => {
    const before = await feedStoreBefore(db);
    await feed.publish(numbered(4), 'live');
    await before.publish(numbered(6).slice(3), 'live');
    await before.retract('i1');
    expect(await idsOf('item')).to.deep.equal(['i5', 'i4', 'i3', 'i2', 'i0']);
    expect([await idsOf('n1'), await idsOf('n3'), await idsOf('n2')]).to.deep.equal([[], ['i3'], ['i2']]);
    expect([await rows('item_terms'), await rows('item_facet')]).to.deep.equal([2, 2]);
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(3);
    expect(await idsOf('item')).to.deep.equal(['i5', 'i4', 'i3', 'i2', 'i0']);
    expect([await rows('item_terms'), await rows('item_facet')]).to.deep.equal([5, 5]);
  });

  it('does not wait for the job, and neither does a publisher of other items', async () => {
    await feed.publish(numbered(3), 'live');
    await forget('i0', 'i1', 'i2');
    const other = schema.connect(1);
    const tx = await other.transaction();
    await tx.raw("select from item where id = 'i1' for update");
    expect(await idsOf('item')).to.deep.equal(['i2', 'i1', 'i0']);
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(2);
    const again = numbered(1).map((item) => ({ ...item, scoredAt: plus(NOON, HOUR) }));
    await feed.publish(again, 'live');
    expect(await idsOf('item')).to.deep.equal(['i0', 'i2', 'i1']);
    await tx.rollback();
    expect(await new PostgresUnindexedItems(db).index(10)).to.equal(1);
  });

  it('has its terms, whichever of two writers adds them first', async () => {
    const writers = [
      feed,
      new PostgresFeedStore(schema.connect()),
      new PostgresUnindexedItems(schema.connect()),
    ] as const;
    await (await feedStoreBefore(db)).publish(numbered(40), 'live');
    const batch = (prefix: string) => numbered(40).map((item) => ({ ...item, id: `${prefix}${item.id}` }));
    await Promise.all([
      writers[0].publish(batch('a'), 'live'),
      writers[1].publish(batch('b'), 'live'),
      writers[2].index(40),
    ]);
    expect((await idsOf('n7')).toSorted()).to.deep.equal(['ai7', 'bi7', 'i7']);
    expect(await idsOf('item')).to.have.length(120);
  });
});
