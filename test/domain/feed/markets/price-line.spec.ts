import { expect } from 'chai';
import {
  mentionOf,
  moveOf,
  type PricePoint,
  priceLine,
} from '../../../../src/domain/feed/markets/price-line.js';
import { market, moment, publication, subMarket } from '../../../support/objects/builders.js';

const at = (minute: number) => moment(`2026-03-01T10:0${minute}:00.000000Z`);

const priced = (id: string, yes_ask: number) => {
  const sub = subMarket(id);
  return { ...sub, market_snapshot: { ...sub.market_snapshot, yes_ask } };
};

const itemAt = (minute: number, ...subs: readonly ReturnType<typeof priced>[]) => ({
  scoredAt: at(minute),
  item: publication({ related_markets: [market('other'), market('m', ...subs)] }),
});

const lineOf = (...prices: readonly number[]): readonly PricePoint[] =>
  prices.map((yesAsk, minute) => ({ at: at(minute), yesAsk }));

describe('The price of a sub-market at its items', () => {
  it('is in the order of time, without items that do not mention it', () => {
    const items = [
      itemAt(3, priced('a', 0.44)),
      itemAt(2, priced('b', 0.9)),
      itemAt(1, priced('b', 0.8), priced('a', 0.38)),
    ];
    expect(priceLine('a', items)).to.deep.equal([
      { at: at(1), yesAsk: 0.38 },
      { at: at(3), yesAsk: 0.44 },
    ]);
  });

  it('is that of the first mention in an item', () => {
    expect(
      mentionOf('a', itemAt(1, priced('a', 0.1), priced('a', 0.2)).item)?.market_snapshot.yes_ask,
    ).to.equal(0.1);
    expect(mentionOf('a', { related_markets: [] })).to.equal(undefined);
  });

  for (const [prices, move] of [
    [[], null],
    [[0.4], null],
    [[0.38, 0.9, 0.44], 6],
    [[0.641, 0.55], -9.1],
  ] as const)
    it(`moves by ${move} percentage points over ${JSON.stringify(prices)}`, () => {
      expect(moveOf(lineOf(...prices))).to.equal(move);
    });
});
