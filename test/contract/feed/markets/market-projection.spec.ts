import { expect } from 'chai';
import fc from 'fast-check';
import { ProjectMarkets } from '../../../../src/application/feed/project-markets.js';
import type { Generation } from '../../../../src/application/ports/feed/market-projection.js';
import type { Reason } from '../../../../src/domain/accounts/reason.js';
import { marketKey } from '../../../../src/domain/feed/markets/market-facts.js';
import { NO_MARK, type Position } from '../../../../src/domain/feed/position.js';
import { MINUTE, plus } from '../../../../src/domain/moment.js';
import { NOON, runs } from '../../../support/objects/builders.js';
import { foldedMarkets } from '../../../support/objects/folded-markets.js';
import { ALL_MARKETS, marketItem, type ShortMarket } from '../../../support/objects/market-items.js';
import { contracts } from '../../adapters.js';
import { eachAdapter } from '../../opening.js';
import type { ProjectedFeed } from './adapters.js';

const ORDER = { actor: 'operator', reason: 'a test' as Reason };
const BLOCK = 3;

const markets: fc.Arbitrary<ShortMarket[]> = fc.array(
  fc.record({
    main: fc.constantFrom('m1', 'm2', 's1'),
    title: fc.constantFrom('one', 'two words'),
    subs: fc.dictionary(fc.constantFrom('s1', 's2', 's3'), fc.constantFrom(0.1, 0.9), { maxKeys: 2 }),
  }),
  { maxLength: 2 },
);
const action = fc.record({
  kind: fc.constantFrom(
    'live',
    'live',
    'backfill',
    'retract',
    'purge',
    'raise',
    'step',
    'step',
    'lose',
    'restart',
  ),
  ids: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 }),
  minutes: fc.integer({ min: -9, max: 9 }),
  markets,
});
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** All tests use one feed and one directory. */
eachAdapter('MarketProjection', contracts.marketDirectories, (instance) => {
  let projected: ProjectedFeed;
  beforeEach(async () => {
    projected = await instance();
  });
  const job = () =>
    new ProjectMarkets(
      { feedHistory: projected.history, marketProjection: projected.projection, monotonicClock: () => 0 },
      BLOCK,
    );
  const catchUp = async (running = job()) => {
    while (await running.step());
  };
  const listed = async () => {
    const { markets: found } = await projected.directory.find({ ...ALL_MARKETS, sort: 'id' });
    return new Map(found.map(({ row }) => [marketKey(row.facts), row]));
  };
  const served = async (): Promise<Generation> => {
    const found = (await projected.projection.generations()).find(({ isServed }) => isServed);
    return found ?? expect.fail('no generation is served');
  };
  /** What a generation looks like after the store has got another history (D45). */
  const lose = async (position: Position) => {
    for (const from of await projected.projection.generations())
      await projected.projection.apply({ from, to: { ...from, position }, removed: [], items: [] });
  };
  const expectFolded = async () => expect(await listed()).to.deep.equal(await foldedMarkets(projected.feed));

  it('has the items that were in the feed before, and every change after them', async () => {
    await projected.feed.publish(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id, i) =>
        marketItem(id, i, { main: 'm1', subs: { s1: i / 10 } }),
      ),
      'backfill',
    );
    await catchUp();
    await expectFolded();
    expect((await listed()).get('sub:s1')?.newsCount).to.equal(7);
    await projected.feed.retract('g');
    await projected.feed.publish([marketItem('f', 5, { main: 'm2' })], 'live');
    await catchUp();
    await expectFolded();
    expect([...(await listed()).keys()]).to.deep.equal(['main:m1', 'main:m2', 'sub:s1']);
    expect((await served()).position).to.deep.equal((await projected.history.changes(0, 1)).newest);
  });

  for (const [what, position] of [
    ['with another mark', { n: 1, mark: NO_MARK }],
    ['after the newest change', { n: 1_000_000, mark: NO_MARK }],
  ] as const)
    it(`builds a new generation for a position ${what}, and serves the old one meanwhile (D45)`, async () => {
      await projected.feed.publish(
        [marketItem('a', 0, { main: 'm1' }), marketItem('b', 0, { main: 'm2' })],
        'live',
      );
      const running = job();
      await catchUp(running);
      const old = await served();
      const before = await listed();
      await projected.feed.retract('a');
      await lose(position);
      let steps = 0;
      while ((await served()).id === old.id) {
        expect(await listed()).to.deep.equal(before);
        await running.step();
        steps += 1;
      }
      expect(steps).to.be.greaterThan(2);
      await catchUp(running);
      await expectFolded();
      expect(await projected.projection.generations()).to.have.length(1);
    });

  it('follows changes that are made while a generation is built', async () => {
    await projected.feed.publish(
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id, i) => marketItem(id, i, { main: `m${i}` })),
      'live',
    );
    await lose({ n: 1_000_000, mark: NO_MARK });
    const running = job();
    for (let step = 0; step < 2; step += 1) await running.step();
    await projected.feed.retract('a');
    await projected.feed.publish([marketItem('b', 0, { main: 'later' })], 'live');
    await projected.feed.publish([marketItem('early', -60, { main: 'early' })], 'backfill');
    await catchUp(running);
    await expectFolded();
  });

  it('changes a generation for one of two writers only', async () => {
    await catchUp();
    const from = await served();
    const facts = {
      kind: 'main',
      marketId: 'x',
      mainMarketId: null,
      url: '',
      title: '',
      venue: null,
    } as const;
    const step = (id: string) => ({
      ...{ from, removed: [], to: { ...from, position: { n: from.position.n + 1, mark: NO_MARK } } },
      items: [
        {
          id,
          scoredAt: plus(NOON, MINUTE),
          markets: [{ ...facts, marketId: id, outcomes: null, snapshot: null }],
        },
      ],
    });
    const done = await Promise.all([
      projected.projection.apply(step('w1')),
      projected.projection.apply(step('w2')),
    ]);
    expect(done.toSorted()).to.deep.equal([false, true]);
    expect([...(await listed()).keys()].filter((key) => key.startsWith('main:w'))).to.have.length(1);
    await catchUp();
    await expectFolded();
  });

  it('begins one generation for two writers', async () => {
    await catchUp();
    await Promise.all([1, 2].map((n) => projected.projection.begin({ n, mark: NO_MARK })));
    expect((await projected.projection.generations()).map(({ isServed }) => isServed)).to.deep.equal([
      true,
      false,
    ]);
    await catchUp();
    await expectFolded();
  });

  it('is equal to a fold over a whole walk of the feed, after any changes, lost positions and restarts', async () => {
    let running = job();
    const perform = async ({ kind, ids, minutes, markets: named }: Action) => {
      const [id = 'a'] = ids;
      const items = ids.map((each, i) =>
        marketItem(each, minutes + i, ...(i === 0 ? named : named.slice(1))),
      );
      if (kind === 'live' || kind === 'backfill') await projected.feed.publish(items, kind);
      else if (kind === 'retract') await projected.feed.retract(id);
      else if (kind === 'purge') await projected.feed.purge(id, ORDER);
      else if (kind === 'raise')
        await projected.feed.raiseHead(plus(NOON, minutes * MINUTE), plus(NOON, minutes * MINUTE));
      else if (kind === 'step') await running.step();
      else if (kind === 'lose') await lose({ n: ids.length, mark: NO_MARK });
      else running = job();
    };
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 15 }), async (actions) => {
        for (const each of actions) await perform(each);
        await catchUp(running);
        await expectFolded();
      }),
      runs(15),
    );
  });
});
