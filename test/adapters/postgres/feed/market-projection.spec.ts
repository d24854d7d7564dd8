import { expect } from 'chai';
import type { Knex } from 'knex';
import type pg from 'pg';
import { PostgresMarketDirectory } from '../../../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import { PostgresMarketProjection } from '../../../../src/adapters/postgres/feed/markets/postgres-market-projection.js';
import { PostgresFeedHistory } from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { ProjectMarkets } from '../../../../src/application/feed/project-markets.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import { marketFactsOf, marketKey } from '../../../../src/domain/feed/markets/market-facts.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { foldedMarkets } from '../../../support/objects/folded-markets.js';
import { ALL_MARKETS, marketItem } from '../../../support/objects/market-items.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const TABLES = ['market_item', 'market', 'market_key', 'market_title'];

/** A pool of one connection, which breaks instead of sending the statement with this number. */
function breakingPool(schema: Schema, at: number): { readonly db: Knex; readonly isBroken: () => boolean } {
  const db = schema.connect(1);
  let sent = 0;
  let connection: pg.Client | undefined;
  const client = db.client as { acquireRawConnection: () => Promise<pg.Client> };
  const acquire = client.acquireRawConnection.bind(client);
  client.acquireRawConnection = async () => {
    connection = await acquire();
    return connection;
  };
  db.on('query', () => {
    sent += 1;
    if (sent === at) connection?.connection.stream.destroy();
  });
  return { db, isBroken: () => sent >= at };
}

describe('PostgresMarketProjection', () => {
  let schema: Schema;
  let db: Knex;
  before(async () => {
    schema = await freshSchema();
    db = schema.connect();
  });
  after(() => schema.close());

  const jobOf = (own: Knex) =>
    new ProjectMarkets(
      {
        feedHistory: new PostgresFeedHistory(db),
        marketProjection: new PostgresMarketProjection(own),
        monotonicClock: () => 0,
      },
      2,
    );
  const catchUp = async (job: ProjectMarkets) => {
    while (await job.step());
  };
  const expectFolded = async () => {
    const { markets } = await new PostgresMarketDirectory(db).find({ ...ALL_MARKETS, sort: 'id' });
    const listed = new Map(markets.map(({ row }) => [marketKey(row.facts), row]));
    expect(listed).to.deep.equal(await foldedMarkets(postgresFeed(db)));
  };

  it('goes on after its connection broke before any statement, also while a generation is built', async () => {
    const feed = postgresFeed(db);
    let isBroken = true;
    let at = 0;
    for (at = 1; isBroken; at += 1) {
      const market = { main: `m${at % 3}`, title: `after ${at}`, subs: { [`s${at % 2}`]: (at % 10) / 10 } };
      await feed.publish(
        ['a', 'b', 'c', `d${at}`].map((id) => marketItem(id, at, market)),
        'live',
      );
      await feed.retract(`d${at - 1}`);
      await db('market_generation').update({ mark: '' });
      const pool = breakingPool(schema, at);
      const fault = await catchUp(jobOf(pool.db)).catch((cause: unknown) => cause);
      isBroken = pool.isBroken();
      if (isBroken) expect(fault).to.be.instanceOf(Unavailable);
      await catchUp(jobOf(db));
      await expectFolded();
    }
    expect(at).to.be.greaterThan(30);
  }).timeout(120_000);

  it('leaves no row of an ended generation, however few are deleted at a time', async () => {
    await catchUp(jobOf(db));
    const projection = new PostgresMarketProjection(db);
    await projection.begin({ n: 1, mark: '' });
    const found = (await projection.generations()).find(({ isServed }) => !isServed);
    const from = found ?? expect.fail('no generation is built');
    const names = { main: 'm1', subs: { s1: 0.1, s2: 0.2, s3: 0.3 } };
    const { id, scoredAt, json } = marketItem('x', 0, names);
    await projection.apply({
      from,
      to: from,
      removed: [],
      items: [{ id, scoredAt, markets: marketFactsOf(JSON.parse(json.toString())) }],
    });
    await projection.begin({ n: 2, mark: '' });
    await projection.begin({ n: 3, mark: '' });
    while (await projection.deleteEnded(1));
    await catchUp(jobOf(db));
    const ids = (await db('market_generation').select('id')).map(({ id }) => id as number);
    expect(ids).to.have.length(1);
    for (const table of TABLES) {
      const generations = await db(table).distinct('generation');
      expect(generations.map(({ generation }) => generation as number)).to.deep.equal(ids);
    }
  });

  it('reads as few index entries for a late block of a rebuild as for an early one, before Postgres has statistics', async () => {
    const own = schema.connect(1);
    const projection = new PostgresMarketProjection(own);
    const apply = async (ids: readonly string[]) => {
      const from = (await projection.generations()).find(({ isServed }) => !isServed);
      if (from === undefined) expect.fail('no generation is built');
      const items = ids.map((id) => {
        const { scoredAt, json } = marketItem(id, 0, { main: 'many', subs: { [`sub of ${id}`]: 0.1 } });
        return { id, scoredAt, markets: marketFactsOf(JSON.parse(json.toString())) };
      });
      await projection.apply({ from, to: from, removed: [], items });
    };
    const rowsRead = async () => {
      await own.raw('select pg_stat_force_next_flush()');
      const { rows } = await own.raw<{ readonly rows: readonly { readonly read: number }[] }>(
        `select sum(idx_tup_read)::integer as read from pg_stat_user_indexes
         where schemaname = current_schema() and indexrelname in ('market_item_pkey', 'market_key_pkey', 'market_title_pkey')`,
      );
      return rows[0]?.read ?? 0;
    };
    const block = (name: number) => Array.from({ length: 100 }, (_, item) => `${name}-${item}`);
    await own.raw('alter table market_item set (autovacuum_enabled = off)');
    await catchUp(jobOf(db));
    await own.raw('analyze market, market_item, market_key, market_title');
    await projection.begin({ n: 1, mark: 'many' });
    const read: number[] = [];
    for (let number = 0; number < 20; number += 1) {
      const before = await rowsRead();
      await apply(block(number));
      read.push((await rowsRead()) - before);
    }
    expect(read.at(-1)).to.be.below(2 * (read[1] ?? 0));
  });

  it('has the keys and the words only of what the newest item of a market says', async () => {
    const feed = postgresFeed(db);
    await feed.publish([marketItem('k1', 0, { main: 'renamed', title: 'old' })], 'live');
    await catchUp(jobOf(db));
    await feed.publish(
      [marketItem('k2', 0, { main: 'renamed', title: 'new title', url: 'https://kalshi.com/markets/a/b' })],
      'live',
    );
    await catchUp(jobOf(db));
    const keys = await db('market_key').where('market_id', 'renamed').orderBy('key').pluck('key');
    expect(keys).to.deep.equal([
      ...['id:renamed', 'page:kalshi.com/markets/a/b', 'ticker:b', 'url:kalshi.com/markets/a/b'],
    ]);
    const titles = () => db('market_title').where('market_id', 'renamed').pluck('words');
    expect(await titles()).to.deep.equal([['new', 'title']]);
    for (const id of ['k1', 'k2']) await feed.retract(id);
    await catchUp(jobOf(db));
    expect(await db('market_key').where('market_id', 'renamed')).to.deep.equal([]);
    expect(await titles()).to.deep.equal([]);
  });
});
