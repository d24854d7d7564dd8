import { expect } from 'chai';
import { ITEM_NUMBER_RANGES, type NumberRange } from '../../../src/domain/feed/item-number-ranges.js';

describe('The range of a number in a publication (D41)', () => {
  // biome-ignore format: a table is read by its columns
  const ranges: readonly (readonly [name: keyof typeof ITEM_NUMBER_RANGES, range: NumberRange])[] = [
    ['ask',     { minimum: 0,    maximum: 1 }],
    ['volume',  { minimum: 0 }],
    ['tickAge', { minimum: 0 }],
    ['move',    { minimum: -100, maximum: 100 }],
  ];
  for (const [name, range] of ranges)
    it(`is ${JSON.stringify(range)} for ${name}`, () => {
      expect(ITEM_NUMBER_RANGES[name]).to.deep.equal(range);
    });

  it('has a row in this table', () => {
    expect(ranges.map(([name]) => name)).to.have.members(Object.keys(ITEM_NUMBER_RANGES));
  });
});
