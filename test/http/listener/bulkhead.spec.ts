import { expect } from 'chai';
import { Bulkhead } from '../../../src/adapters/http/listener/bulkhead.js';

describe('A bulkhead', () => {
  it('admits requests up to its limit, and one more for each that leaves', () => {
    const bulkhead = new Bulkhead({ max: 2 });
    expect(['a', 'a', 'a'].map((group) => bulkhead.enter(group))).to.deep.equal([true, true, false]);
    bulkhead.leave('a');
    expect([bulkhead.enter('b'), bulkhead.enter('b')]).to.deep.equal([true, false]);
  });

  it('limits one group to its share, and leaves the rest to others', () => {
    const bulkhead = new Bulkhead({ max: 3, perGroupMax: 2 });
    expect(['a', 'a', 'a', 'b', 'b'].map((group) => bulkhead.enter(group))).to.deep.equal([
      true,
      true,
      false,
      true,
      false,
    ]);
    bulkhead.leave('a');
    expect([bulkhead.enter('a'), bulkhead.enter('a')]).to.deep.equal([true, false]);
  });

  it('forgets a group that has left', () => {
    const bulkhead = new Bulkhead({ max: 10, perGroupMax: 1 });
    for (let i = 0; i < 5; i += 1) {
      expect(bulkhead.enter('a')).to.equal(true);
      bulkhead.leave('a');
    }
  });
});
