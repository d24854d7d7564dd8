import { expect } from 'chai';
import type { Knex } from 'knex';
import { connect, disconnect, LONG_TIMEOUTS } from '../../../../src/adapters/postgres/connection.js';
import { PostgresMarketDirectory } from '../../../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import { PostgresMarketProjection } from '../../../../src/adapters/postgres/feed/markets/postgres-market-projection.js';
import { PostgresFeedHistory } from '../../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { migrate, revertMigration } from '../../../../src/adapters/postgres/migrate.js';
import { MIGRATIONS } from '../../../../src/adapters/postgres/migrations/migrations.js';
import { ProjectMarkets } from '../../../../src/application/feed/project-markets.js';
import { postgresFeed } from '../../../support/copies/joined-feed.js';
import { ALL_MARKETS, marketItem } from '../../../support/objects/market-items.js';
import { emptySchema } from '../../../support/servers/stores.js';

const MIGRATION = '2026-12-15-market-words';

describe('The migration to an index of the words of titles', () => {
  let url: string;
  let db: Knex;
  before(async () => {
    url = await emptySchema();
    db = connect(url, LONG_TIMEOUTS, 2);
    await migrate(url);
  });
  after(() => disconnect(db));

  it('keeps the words of the directory that is served, also when it is reverted', async () => {
    const named = (id: string, title: string) => marketItem(id, 0, { main: `market of ${id}`, title });
    await postgresFeed(db).publish([named('a', 'Will the senate decide?'), named('b', '?')], 'live');
    const job = new ProjectMarkets({
      feedHistory: new PostgresFeedHistory(db),
      marketProjection: new PostgresMarketProjection(db),
      monotonicClock: () => 0,
    });
    while (await job.step());
    const wordKeys = () =>
      db('market_key').whereLike('key', 'word:%').orderBy('key').pluck('key') as Promise<readonly string[]>;
    // As a process of before the migration writes it.
    await db.raw(
      `insert into market_key (generation, key, market_id, kind)
       select generation, 'word:senate', market_id, kind from market_title where words @> array['senate']`,
    );
    const latest = [...MIGRATIONS.keys()].reverse();
    for (const name of latest.slice(0, latest.indexOf(MIGRATION) + 1))
      expect(await revertMigration(url)).to.deep.equal([name]);
    expect(await wordKeys()).to.deep.equal(['word:decide', 'word:senate', 'word:the', 'word:will']);
    await migrate(url);
    expect(await wordKeys()).to.deep.equal([]);
    const found = async (queryWords: readonly string[]) => {
      const { markets } = await new PostgresMarketDirectory(db).find({ ...ALL_MARKETS, queryWords });
      return markets.map(({ row }) => row.facts.marketId);
    };
    expect(await found(['decide', 'senate'])).to.deep.equal(['market of a']);
    expect(await found(['decide', 'court'])).to.deep.equal([]);
    expect(await found([])).to.have.members(['market of a', 'market of b']);
  });
});
