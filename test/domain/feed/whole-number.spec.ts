import { expect } from 'chai';
import fc from 'fast-check';
import { LIMIT } from '../../../src/domain/feed/feed-query.js';
import { BATCH_WAIT } from '../../../src/domain/feed/stream-batch.js';
import { readWholeNumber } from '../../../src/domain/feed/whole-number.js';

describe('A numeric parameter', () => {
  // biome-ignore format: short texts are read side by side
  const limits: readonly (readonly [text: string, number: number])[] = [
    ['1', 1], ['50', 50], ['500', 500], ['007', 7], ['050', 50],
    ['0', 0], ['999', 999], ['1000', 1_000], ['0000', 0], ['-5', -5], ['-0', -0],
  ];
  for (const [text, number] of limits) {
    it(`“${text}” is read as ${number}; the range is checked separately (D13)`, () => {
      expect(readWholeNumber(text, LIMIT)).to.equal(number);
    });
  }

  // biome-ignore format: short texts are read side by side
  const refused = [
    '', ' ', ' 5', '5 ', '5\n', '+5', '5.0', '5.', '.5', '5e1', '1e3', '0x10', '0b1', '1_0', '1,0', '-',
    '0001', '--5', '- 5', '-5.5', 'five', 'NaN', 'Infinity', '\u0665', '５', '50%', '5 0', 'null', '[5]',
  ];
  for (const text of refused) {
    it(`${JSON.stringify(text)} is not read: digits only, no sign, no decimals, no blanks (D13)`, () => {
      expect(readWholeNumber(text, LIMIT)).to.equal(undefined);
    });
  }

  it('has at most as many digits as the largest value, and no sign, if its value is in the range', () => {
    const read = (text: string) => readWholeNumber(text, BATCH_WAIT);
    expect(['0', '00', '07', '30'].map(read)).to.deep.equal([0, 0, 7, 30]);
    expect(['000', '007', '-0'].map(read)).to.deep.equal([undefined, undefined, undefined]);
  });

  it('is read for every integer outside its range, however long', () => {
    const outside = fc.oneof(fc.bigInt({ max: 0n }), fc.bigInt({ min: 501n }), fc.constant(10n ** 400n));
    fc.assert(
      fc.property(outside, (integer) => {
        const number = readWholeNumber(String(integer), LIMIT);
        expect(Number.isSafeInteger(number)).to.equal(true);
        expect(number).to.satisfy((one: number) => one < LIMIT.minimum || one > LIMIT.maximum);
      }),
    );
  });
});
