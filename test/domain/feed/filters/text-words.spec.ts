import { expect } from 'chai';
import fc from 'fast-check';
import { wordsOf } from '../../../../src/domain/feed/filters/text-words.js';
import { runs } from '../../../support/objects/builders.js';

const listOf = (text: string, max = 100) => [...wordsOf(text, max)];

describe('The words of a text (D57)', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ['',                            []],
    [' \t\n.,;—…“”',                []],
    ['Fed cuts rates',              ['fed', 'cuts', 'rates']],
    ['Rates, rates & RATES!',       ['rates']],
    ['Élysée café ÅNGSTRÖM',        ['elysee', 'cafe', 'angstrom']],
    ['e\u0301t\u00e9',              ['ete']],
    ['İstanbul',                    ['istanbul']],
    ['ﬁnance ＦＥＤ ①②',            ['finance', 'fed', '12']],
    ["U.S. don't e-mail",           ['u', 's', 'don', 't', 'e', 'mail']],
    ['2028 25bp $1,000 3.5%',       ['2028', '25bp', '1', '000', '3', '5']],
    ['日本銀行 は 利上げ',           ['日本銀行', 'は', '利上け']],
    ['ΟΔΟΣ οδός',                   ['οδος']],
    ['x'.repeat(40),                ['x'.repeat(32)]],
    ['𝟘'.repeat(40),                ['0'.repeat(32)]],
    ['𠀀'.repeat(33),               ['𠀀'.repeat(32)]],
    [`${'a'.repeat(32)}b ${'a'.repeat(32)}c`, ['a'.repeat(32)]],
    ['a\0b',                        ['a', 'b']],
  ];
  for (const [text, expected] of cases) {
    it(`of ${JSON.stringify(text.slice(0, 24))} are ${JSON.stringify(expected).slice(0, 50)}`, () => {
      expect(listOf(text)).to.deep.equal(expected);
    });
  }

  it('are at most as many as asked for', () => {
    expect(listOf('a b a c d', 3)).to.deep.equal(['a', 'b', 'c']);
  });

  it('are found by themselves: a word of an item is a word of a query', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        for (const word of listOf(text)) expect(listOf(word)).to.deep.equal([word]);
      }),
      runs(500),
    );
  });

  it('do not depend on case, marks or the form of the characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
          expect(listOf(text.normalize(form))).to.deep.equal(listOf(text));
      }),
      runs(500),
    );
  });
});
