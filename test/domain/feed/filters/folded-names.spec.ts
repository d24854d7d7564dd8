import { expect } from 'chai';
import fc from 'fast-check';
import { foldedName, foldedNames } from '../../../../src/domain/feed/filters/folded-names.js';

describe('A name as it is compared (D57)', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [name: string, folded: string, names: readonly string[]])[] = [
    ['L. O’Brien',       'l-o-brien',     ['l-o-brien']],
    ['Meridian Wire',    'meridian-wire', ['meridian-wire']],
    ['El Faro Económico', 'el-faro-economico', ['el-faro-economico']],
    ['Duran Duran',      'duran-duran',   ['duran-duran']],
    ['Doe, Jane',        'doe-jane',      ['doe-jane', 'doe', 'jane']],
    ['港新聞',            '港新聞',         ['港新聞']],
    [' … ',              '',              []],
    ['',                 '',              []],
  ];
  for (const [name, folded, names] of cases)
    it(`is ${folded || 'empty'} for “${name}”, which an item has as ${names.join(' and ') || 'nothing'}`, () => {
      expect([foldedName(name), foldedNames(name)]).to.deep.equal([folded, names]);
    });

  it('is the same when it is folded again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (name) => {
        expect(foldedName(foldedName(name))).to.equal(foldedName(name));
      }),
    );
  });
});
