import { expect } from 'chai';
import { RequestCounts } from '../../../../src/adapters/caching/limits/request-counts.js';

const SUBJECTS = Array.from({ length: 2_000 }, (_, n) => `{sub_${n}}:minute:29000000`);

describe('The counts of requests of many subjects', () => {
  let counts: RequestCounts;
  beforeEach(() => {
    counts = new RequestCounts();
  });

  it('count each subject since the last clear', () => {
    expect([counts.add('a'), counts.add('a'), counts.add('b')]).to.deep.equal([1, 2, 1]);
    counts.clear();
    expect(counts.add('a')).to.equal(1);
  });

  it('are never too low, and rarely too high', () => {
    const first = SUBJECTS.map((subject) => counts.add(subject));
    const second = SUBJECTS.map((subject) => counts.add(subject));
    expect(Math.min(...second)).to.equal(2);
    expect(first.filter((count) => count > 1).length).to.be.below(SUBJECTS.length / 5);
    expect(Math.max(...second)).to.be.below(10);
  });

  it('stay at their maximum', () => {
    for (let n = 0; n < 65_535; n += 1) counts.add('a');
    expect([counts.add('a'), counts.add('a')]).to.deep.equal([65_535, 65_535]);
  });
});
