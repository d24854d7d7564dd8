import { expect } from 'chai';
import fc from 'fast-check';
import { parameters, values } from '../../../src/adapters/http/parameters.js';
import { runs } from '../../support/objects/builders.js';

describe('The parameters of a query string', () => {
  const cases: readonly (readonly [
    query: string,
    read: readonly (readonly [string, string | undefined])[],
  ])[] = [
    ['', []],
    ['a=1', [['a', '1']]],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      '&',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    [
      'a=1&',
      [
        ['a', '1'],
        ['', ''],
      ],
    ],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a%2Bb=c%2bd', [['a+b', 'c+d']]],
    ['a%26b=c%3Dd', [['a&b', 'c=d']]],
    ['%61pi%5Fkey=x', [['api_key', 'x']]],
    ['a=%E2%82%AC', [['a', '€']]],
    ['a=%', [['a', undefined]]],
    ['a=%E9', [['a', undefined]]],
    [
      'a=%zz&b=1',
      [
        ['a', undefined],
        ['b', '1'],
      ],
    ],
    ['%=1&b=2', [['b', '2']]],
    ['a=1?b=2', [['a', '1?b=2']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['__proto__=1', [['__proto__', '1']]],
  ];
  for (const [query, read] of cases) {
    it(`of “${query}” are ${JSON.stringify(read)} (D14)`, () => {
      expect(parameters(query)).to.deep.equal(read.map(([name, value]) => ({ name, value })));
    });
  }

  it('are those that URLSearchParams reads, in the same order, if the encoding is valid', () => {
    const text = fc.string({ unit: 'grapheme' });
    const pairs = fc.array(fc.tuple(text, text), { minLength: 1 });
    fc.assert(
      fc.property(pairs, (sent) => {
        const query = new URLSearchParams(sent).toString();
        expect(parameters(query).map(({ name, value }) => [name, value])).to.deep.equal([
          ...new URLSearchParams(query),
        ]);
      }),
      runs(300),
    );
  });

  it('can be read from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (query) => {
        expect(() => parameters(query)).not.to.throw();
      }),
      runs(300),
    );
  });
});

describe('The values of one parameter', () => {
  it('include every value of the exact name', () => {
    expect(values('a=1&A=2&a=3&b=4&a', 'a')).to.deep.equal(['1', '3', '']);
    expect(values('b=1', 'a')).to.deep.equal([]);
  });

  it('include a value that cannot be decoded, as one that is never valid', () => {
    expect(values('a=%&a=1', 'a')).to.deep.equal(['%', '1']);
  });
});
