import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  marketsQuery,
  PostgresMarketDirectory,
} from '../../../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import { NOON } from '../../../support/objects/builders.js';
import { freshSchema, type Schema } from '../../../support/servers/stores.js';

const MARKETS = 10_000;

/** Half of the titles have each of two words, and none has both. All have `common`, and 1 of 100 has `rare`. */
const FILL = `
insert into market_generation (n, mark, is_served) values (1, 'mark', true);
insert into market (generation, market_id, kind, facts, keys_hash, first_news_at, last_news_at, news_count)
select id, 'market ' || number, 'sub', json_build_object('kind', 'sub', 'marketId', 'market ' || number), '', :noon::timestamptz,
  :noon::timestamptz - number * interval '1 second', 1
from market_generation, generate_series(1, :markets) as one (number);
insert into market_key (generation, key, market_id, kind)
select id, 'word:' || word, 'market ' || number, 'sub'
from market_generation, generate_series(1, :markets) as one (number),
  unnest(array['common', 'w' || number % 2, case when number % 100 = 0 then 'rare' end]) as title (word)
where word is not null`;

describe(`The words of titles in a directory of ${MARKETS.toLocaleString('en')} markets`, () => {
  let schema: Schema;
  let db: Knex;
  before(async function () {
    this.timeout(60_000);
    schema = await freshSchema();
    db = schema.connect();
    for (const sql of FILL.split(';')) await db.raw(sql, { markets: MARKETS, noon: NOON });
    await db.raw('vacuum analyze market_generation, market, market_key');
  });
  after(() => schema.close());

  const reading = (...titleWords: readonly string[]) => ({
    ...{ references: [], venue: null, kind: null, mainMarketId: null, after: null, count: 51 },
    queryWords: titleWords,
    sort: 'news' as const,
  });

  /** All blocks that the statements of a page read: the same on each machine. */
  async function blocksOf(...titleWords: readonly string[]): Promise<number> {
    let blocks = 0;
    for (const source of ['next', 'worded'] as const) {
      const query = marketsQuery(db, source, reading(...titleWords.map((word) => `word:${word}`)));
      const { rows } = await db.raw('explain (analyze, buffers, format json) ?', [query]);
      const plan = rows[0]['QUERY PLAN'][0].Plan;
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    return blocks;
  }

  it('are not tested one by one in all markets if two of them are frequent and never meet (D65)', async () => {
    expect(await blocksOf('w0', 'w1')).to.be.below(MARKETS / 2);
  });

  const found: readonly (readonly [readonly string[], number])[] = [
    [['w0', 'w1'], 0],
    [['w0', 'common'], 51],
    [['rare', 'w0'], 51],
    [['rare', 'w1'], 0],
    [['none'], 0],
  ];
  for (const [titleWords, count] of found) {
    it(`find ${count} markets with ${titleWords.join(' and ')}`, async () => {
      const { markets } = await new PostgresMarketDirectory(db).find(reading(...titleWords));
      expect(markets).to.have.lengthOf(count);
    });
  }
});
