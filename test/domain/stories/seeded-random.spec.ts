import { expect } from 'chai';
import { SeededRandom } from '../../../src/domain/stories/seeded-random.js';

describe('Seeded random numbers', () => {
  it('are the same for the same seed and name, and differ for others', () => {
    const numbers = (random: SeededRandom) => [random.fraction(), random.whole(1, 100), random.fraction()];
    expect(numbers(new SeededRandom(7))).to.deep.equal(numbers(new SeededRandom(7)));
    expect(numbers(new SeededRandom(7))).not.to.deep.equal(numbers(new SeededRandom(8)));
    expect(numbers(SeededRandom.of('a'))).to.deep.equal(numbers(SeededRandom.of('a')));
    expect(numbers(SeededRandom.of('a'))).not.to.deep.equal(numbers(SeededRandom.of('b')));
  });

  it('choose within their bounds', () => {
    const random = new SeededRandom(1);
    for (let n = 0; n < 100; n += 1) {
      expect(random.whole(2, 4)).to.be.within(2, 4);
      expect(['x', 'y']).to.include(random.pick(['x', 'y']));
      expect(random.some([1, 2, 3, 4], 2)).to.have.length(2);
    }
  });
});
