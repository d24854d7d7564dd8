import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresMarketDirectory } from '../../../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import type { MarketReading } from '../../../../src/application/ports/feed/market-directory.js';
import { plus, SECOND } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const MARKETS = 10_000;

/** Half of the titles have each of two words, and none has both. All have two common words, 1 of 100 has `rare`, the older half `old`. */
const FILL = `
insert into market_generation (n, mark, is_served) values (1, 'mark', true);
insert into market (
  generation, market_id, kind, main_market_id, venue, facts, keys_hash, first_news_at, last_news_at, news_count
)
select id, 'market ' || number, 'sub', 'main ' || number / 10, case when number % 1000 = 0 then 'Rare' else 'Frequent' end,
  json_build_object('kind', 'sub', 'marketId', 'market ' || number), '', :noon::timestamptz,
  :noon::timestamptz - number * interval '1 second', 1
from market_generation, generate_series(1, :markets) as one (number);
insert into market_title (generation, market_id, kind, words)
select id, 'market ' || number, 'sub',
  array['common', 'general', 'w' || number % 2, case when number * 2 > :markets then 'old' else 'new' end]
    || case when number % 100 = 0 then array['rare'] else '{}' end
from market_generation, generate_series(1, :markets) as one (number);
insert into market_key (generation, key, market_id, kind)
select id, scheme || number / 10, 'market ' || number, 'sub'
from market_generation, generate_series(1, :markets) as one (number), unnest(array['id:', 'url:', 'page:', 'event:', 'ticker:', 'slug:', 'token:']) as scheme`;

type Executed = { readonly sql: string; readonly bindings: readonly string[] };

describe(`Words of titles and references in a directory of ${MARKETS.toLocaleString('en')} markets`, () => {
  let schema: Schema;
  let db: Knex;
  before(async function () {
    this.timeout(60_000);
    schema = await freshSchema();
    db = schema.connect();
    for (const sql of FILL.split(';')) await db.raw(sql, { markets: MARKETS, noon: NOON });
    await db.raw('vacuum analyze market_generation, market, market_key, market_title');
  });
  after(() => schema.close());

  const pageOf = (titleWords: readonly string[], parts: Partial<MarketReading>): MarketReading => ({
    ...{ references: [], venue: null, kind: null, mainMarketId: null, after: null, count: 51, sort: 'news' },
    queryWords: titleWords,
    ...parts,
  });

  /** The markets of a page, and the blocks that its statements read: the same number on each machine. */
  async function read(reading: MarketReading) {
    const executed: Executed[] = [];
    const note = (query: Executed) => executed.push(query);
    db.on('query', note);
    const { markets } = await new PostgresMarketDirectory(db).find(reading);
    db.off('query', note);
    let blocks = 0;
    for (const { sql, bindings } of executed) {
      const explained = `explain (analyze, buffers, format json) ${sql.replaceAll(/\$\d+/g, '?')}`;
      const { rows } = await db.raw(explained, [...bindings]);
      const plan = rows[0]['QUERY PLAN'][0].Plan;
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    return { count: markets.length, blocks };
  }

  const last = {
    kind: 'sub',
    marketId: `market ${MARKETS - 20}`,
    lastNewsAt: plus(NOON, -(MARKETS - 20) * SECOND),
  } as const;

  const partsName = ({ after, ...others }: Partial<MarketReading>) =>
    [after ? 'on the last page ' : '', ...Object.values(others).map((value) => `of ${value} `)].join('');

  // biome-ignore format: a table is read by its columns
  const CASES: readonly (readonly [titleWords: readonly string[], parts: Partial<MarketReading>, found: number, blocks: number])[] = [
    [['common'],               {},                           51, 1_000],
    [['common', 'general'],    {},                           51, 1_000],
    [['w0', 'w1'],             {},                            0, 1_000],
    [['w0', 'w1'],             { sort: 'id' },                0, 1_000],
    [['w0', 'common'],         {},                           51, 1_000],
    [['rare', 'w0'],           {},                           51, 2_000],
    [['rare', 'w1'],           {},                            0, 1_000],
    [['none'],                 {},                            0, 1_000],
    [['old'],                  {},                           51, 2_500],
    [['common', 'general'],    { mainMarketId: 'main 500' }, 10,   150],
    [['common', 'general'],    { venue: 'Rare' },            10,   400],
    [['common', 'general'],    { venue: 'none' },             0,   300],
    [['common', 'general'],    { after: last },              20,   250],
  ];
  for (const [titleWords, parts, found, blocks] of CASES) {
    it(`find ${found} with ${titleWords.join(' and ')} ${partsName(parts)}in at most ${blocks} blocks (D65)`, async () => {
      const page = await read(pageOf(titleWords, parts));
      expect(page.count).to.equal(found);
      expect(page.blocks).to.be.at.most(blocks);
    });
  }

  it('find one of 20 references in at most 400 blocks (D65)', async () => {
    const references = Array.from({ length: 20 }, (_, number) => String(MARKETS / 10 + number));
    const page = await read(pageOf([], { references }));
    expect(page.count).to.equal(1);
    expect(page.blocks).to.be.at.most(400);
  });
});
