import { expect } from 'chai';
import fc from 'fast-check';
import { showsProgress } from '../../../../src/domain/feed/history/line-progress.js';
import { runs } from '../../../support/objects/builders.js';

const shownAt = (numbers: readonly number[], begin: number): readonly number[] =>
  numbers.filter((n, i) => showsProgress(numbers[i - 1] ?? begin, n));

describe('The progress of lines', () => {
  // biome-ignore format: a table is read by its columns
  const CASES: readonly (readonly [before: number, number: number, shows: boolean])[] = [
    [0,   1,     false],
    [498, 499,   false],
    [499, 500,   true],
    [500, 501,   false],
    [498, 502,   true],
    [10,  5_000, true],
    [999, 1_000, true],
  ];
  for (const [before, number, shows] of CASES)
    it(`is ${shows ? 'shown' : 'not shown'} at the change ${number} after ${before}`, () => {
      expect(showsProgress(before, number)).to.equal(shows);
    });

  it('is shown at the first change of each 500 numbers, but for those in which the range begins', () => {
    const log = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 2 });
    fc.assert(
      fc.property(log, (some) => {
        const [begin = 0, ...numbers] = some.toSorted((one, other) => one - other);
        const firsts = new Map(numbers.toReversed().map((n) => [Math.floor(n / 500), n]));
        firsts.delete(Math.floor(begin / 500));
        expect(new Set(shownAt(numbers, begin))).to.deep.equal(new Set(firsts.values()));
      }),
      runs(100),
    );
  });
});
