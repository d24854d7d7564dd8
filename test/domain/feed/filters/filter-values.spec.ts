import { expect } from 'chai';
import fc from 'fast-check';
import {
  readCodes,
  readQueryWords,
  termFilterOf,
  termValuesOf,
} from '../../../../src/domain/feed/filters/filter-values.js';

const codes = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);

describe('The values of filters by terms (D57)', () => {
  // biome-ignore format: a table is read by its columns
  const codeCases: readonly (readonly [text: string, codes: readonly string[] | undefined])[] = [
    ['politics',             ['politics']],
    ['politics,economy',     ['politics', 'economy']],
    ['t1,t1',                ['t1']],
    ['Politics, a b',        ['Politics', ' a b']],
    [codes(10).join(),       codes(10)],
    [codes(11).join(),       undefined],
    ['t1,'.repeat(11),       undefined],
    ['',                     undefined],
    [',',                    undefined],
    ['a,,b',                 undefined],
    ['a,',                   undefined],
    [',a',                   undefined],
  ];
  for (const [text, expected] of codeCases) {
    it(`of “${text.slice(0, 20)}” are ${expected === undefined ? 'not valid' : `${expected.length} codes`}`, () => {
      expect(readCodes(text)).to.deep.equal(expected);
    });
  }

  // biome-ignore format: a table is read by its columns
  const wordCases: readonly (readonly [text: string, expected: readonly string[] | undefined])[] = [
    ['rate',                       ['rate']],
    ['Fed  RATE, fed',             ['fed', 'rate']],
    ['one two three four',         ['one', 'two', 'three', 'four']],
    ['one two three four ONE',     ['one', 'two', 'three', 'four']],
    ['one two three four five',    undefined],
    ['',                           undefined],
    [' … ',                        undefined],
    ['\u0301',                     undefined],
  ];
  for (const [text, expected] of wordCases) {
    it(`of the query “${text}” are ${expected === undefined ? 'not valid' : expected.join(' and ')}`, () => {
      expect(readQueryWords(text)).to.deep.equal(expected);
    });
  }

  it('become a filter: any code of each parameter, and every word', () => {
    expect(termFilterOf({})).to.deep.equal([]);
    expect(termFilterOf({ q: ['fed', 'rate'], relevance: ['high'], category: ['a', 'b'] })).to.deep.equal([
      ['category:a', 'category:b'],
      ['relevance:high'],
      ['word:fed'],
      ['word:rate'],
    ]);
  });

  it('are those of the filter that they become', () => {
    const values = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 });
    const all = fc.record(
      { category: values, source_tier: values, relevance: values, q: values },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(all, (sent) => {
        expect(termValuesOf(termFilterOf(sent))).to.deep.equal(sent);
      }),
    );
  });
});
