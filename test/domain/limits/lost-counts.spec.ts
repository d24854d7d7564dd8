import { expect } from 'chai';
import { isCountLost, restoredCount } from '../../../src/domain/limits/lost-counts.js';

describe('A count of the shared counters (D35)', () => {
  const cases: readonly (readonly [string, ...Parameters<typeof isCountLost>, boolean])[] = [
    ['is not lost if it has grown', 40, 10, 45, false, false],
    ['is not lost if others gave permits back', 40, 10, 10, false, false],
    ['is not lost in spite of such a sign if it was never seen', 0, 0, 0, true, false],
    ['is not lost in spite of such a sign if it has grown', 40, 10, 40, true, false],
    ['is lost if it lacks permits of this instance', 40, 10, 9, false, true],
    ['is lost if it is below the last one, and there is a sign of loss', 40, 10, 39, true, true],
  ];
  for (const [title, last, own, before, isDoubtful, isLost] of cases) {
    it(title, () => expect(isCountLost(last, own, before, isDoubtful)).to.equal(isLost));
  }

  it('is raised to the last one, and never below the permits of the instance', () => {
    expect([restoredCount(40, 10), restoredCount(5, 10)]).to.deep.equal([40, 10]);
  });
});
