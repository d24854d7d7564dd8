import { expect } from 'chai';
import { ProjectMarkets } from '../../../../src/application/feed/project-markets.js';
import type { MarketReading } from '../../../../src/application/ports/feed/market-directory.js';
import { NotNow } from '../../../../src/application/unavailable.js';
import { placeOf } from '../../../../src/domain/feed/markets/market-query.js';
import { MINUTE, plus } from '../../../../src/domain/moment.js';
import { NOON } from '../../../support/objects/builders.js';
import {
  ALL_MARKETS,
  marketItem,
  snapshotOf,
  tokensOf,
  urlOf,
} from '../../../support/objects/market-items.js';
import { contracts } from '../../adapters.js';
import { eachAdapter } from '../../opening.js';
import type { ProjectedFeed } from './adapters.js';

const KALSHI = 'https://kalshi.com/markets/kxvote/kxvote-30';

eachAdapter('MarketDirectory', contracts.marketDirectories, (instance) => {
  let projected: ProjectedFeed;
  const find = (reading: Partial<MarketReading> = {}) =>
    projected.directory.find({ ...ALL_MARKETS, ...reading });
  /** The ids of the markets, in their order. */
  const ids = async (reading: Partial<MarketReading> = {}) =>
    (await find(reading)).markets.map(({ row: { facts } }) => `${facts.kind} ${facts.marketId}`);

  before(async () => {
    projected = await instance();
    const refusal = await find().catch((fault: unknown) => fault);
    expect(refusal, 'before the first generation').to.be.instanceOf(NotNow);
    await projected.feed.publish(
      [
        marketItem('i1', 0, { main: 'strait', title: 'Halvex Strait', subs: { may: 0.1, june: 0.2 } }),
        marketItem('i2', 1, { main: 'strait', title: 'Halvex Strait', subs: { may: 0.3 } }),
        marketItem(
          'i3',
          2,
          {
            main: 'vote',
            title: 'Élection of the senate',
            url: KALSHI,
            subs: { vote: 0.5 },
          },
          { main: 'ticker', url: `${KALSHI}#kxvote-30-a` },
        ),
        marketItem('i4', 3, { main: 'odd\u{1f600}', title: 'a\0b \ud800', url: 'urn:x' }),
      ],
      'backfill',
    );
    const job = new ProjectMarkets({
      feedHistory: projected.history,
      marketProjection: projected.projection,
      monotonicClock: () => 0,
    });
    while (await job.step());
  });

  const NEWEST = [
    'main odd\u{1f600}',
    'main ticker',
    'main vote',
    'sub vote',
    'sub may',
    'main strait',
    'sub june',
  ];

  it('lists a market with its newest item, and the times and the number of its items', async () => {
    const { markets, unknown } = await find({ references: ['may'] });
    expect(unknown).to.deep.equal([]);
    expect(markets).to.deep.equal([
      {
        row: {
          facts: {
            ...{ kind: 'sub', marketId: 'may', mainMarketId: 'strait', url: `${urlOf('strait')}/may` },
            ...{ title: 'Halvex Strait, may', venue: 'polymarket.com' },
            ...{ outcomes: tokensOf('may'), snapshot: snapshotOf(0.3) },
          },
          ...{ firstNewsAt: NOON, lastNewsAt: plus(NOON, MINUTE), newsCount: 2 },
        },
        references: ['may'],
      },
    ]);
  });

  it('lists the markets with the newest items first, then by id', async () => {
    expect(await ids()).to.deep.equal(NEWEST);
    expect(await ids({ sort: 'id' })).to.deep.equal([
      ...['sub june', 'sub may', 'main odd\u{1f600}', 'main strait', 'main ticker', 'main vote', 'sub vote'],
    ]);
  });

  for (const sort of ['news', 'id'] as const)
    it(`continues after each market, in the order of ${sort}`, async () => {
      const { markets } = await find({ sort });
      for (const [i, { row }] of markets.entries()) {
        const rest = await find({ sort, after: placeOf(row), count: 2 });
        expect(rest.markets).to.deep.equal(markets.slice(i + 1, i + 3));
      }
    });

  it('keeps texts that Postgres cannot store as text', async () => {
    const { markets } = await find({ references: ['odd\u{1f600}'] });
    expect(markets[0]?.row.facts).to.include({ title: 'a\0b \ud800', venue: null, url: 'urn:x' });
  });

  it('filters by words of the title, venue, kind and main market, all at once', async () => {
    expect(await ids({ queryWords: ['strait', 'halvex'] })).to.deep.equal([
      'sub may',
      'main strait',
      'sub june',
    ]);
    expect(await ids({ queryWords: ['election', 'strait'] })).to.deep.equal([]);
    expect(await ids({ queryWords: ['election', 'election'] })).to.deep.equal(['main vote', 'sub vote']);
    expect(await ids({ venue: 'kalshi.com' })).to.deep.equal(['main ticker', 'main vote', 'sub vote']);
    expect(await ids({ kind: 'sub' })).to.deep.equal(['sub vote', 'sub may', 'sub june']);
    expect(await ids({ mainMarketId: 'strait' })).to.deep.equal(['sub may', 'sub june']);
    expect(
      await ids({ mainMarketId: 'strait', queryWords: ['june'], kind: 'sub', venue: 'polymarket.com' }),
    ).to.deep.equal(['sub june']);
    expect(await ids({ mainMarketId: 'strait', kind: 'main' })).to.deep.equal([]);
  });

  it('finds every market that a reference matches, and says which references match none', async () => {
    const url = `https://www.polymarket.com/es/event/strait/may/?utm_source=x`;
    const { markets, unknown } = await find({ references: [url, 'vote', 'no', 'may-yes', 'no', 'a\0'] });
    expect(unknown).to.deep.equal(['no', 'a\0']);
    expect(
      markets.map(({ row, references }) => [row.facts.kind, row.facts.marketId, references]),
    ).to.deep.equal([
      ['main', 'vote', ['vote']],
      ['sub', 'vote', ['vote']],
      ['sub', 'may', [url, 'may-yes']],
    ]);
  });

  it('drops query and fragment of a reference only if nothing matches with them', async () => {
    expect(await ids({ references: [KALSHI] })).to.deep.equal(['main vote']);
    expect(await ids({ references: [`${KALSHI}#kxvote-30-a`] })).to.deep.equal(['main ticker']);
    expect(await ids({ references: [`${KALSHI}?x=1`] })).to.deep.equal(['main vote']);
    expect(await ids({ references: [`${KALSHI}-b?x=1`] })).to.deep.equal([]);
  });

  it('applies the filter to what references match, and knows the others all the same', async () => {
    const { markets, unknown } = await find({ references: ['vote', 'may'], kind: 'main' });
    expect([markets.length, unknown]).to.deep.equal([1, []]);
  });
});
