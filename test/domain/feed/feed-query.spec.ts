import { expect } from 'chai';
import { LIMIT, readLimit } from '../../../src/domain/feed/feed-query.js';

describe('The parameter `limit` (contract section 4, D13)', () => {
  it('ranges from 1 to 500, and is 50 by default (contract section 8)', () => {
    expect(LIMIT).to.deep.equal({ minimum: 1, maximum: 500, default: 50 });
  });

  for (const [text, number] of [
    ['1', 1],
    ['50', 50],
    ['500', 500],
    ['007', 7],
    ['050', 50],
    ['0', 0],
    ['999', 999],
  ] as const) {
    it(`“${text}” is read as ${number}; the range is checked separately (D13)`, () => {
      expect(readLimit(text)).to.equal(number);
    });
  }

  // biome-ignore format: short texts are read side by side
  const refused = [
    '', ' ', ' 5', '5 ', '5\n', '+5', '-5', '-0', '5.0', '5.', '.5', '5e1', '0x10', '0b1', '1_0', '1,0',
    '1000', '0001', 'five', 'NaN', 'Infinity', '\u0665', '５', '50%', '5 0', 'null', '[5]',
  ];
  for (const text of refused) {
    it(`${JSON.stringify(text)} is not read: one to three digits, no sign, no decimals, no blanks (D13)`, () => {
      expect(readLimit(text)).to.equal(undefined);
    });
  }
});
