import { expect } from 'chai';
import { UnfinishedBodies } from '../../../src/adapters/http/listener/unfinished-bodies.js';

const LIMITS = { max: 4, perGroupMax: 2, deadlineMs: 5_000 };

/** Bodies that begin in this order, by group and name; answers the names of those that were closed. */
function closedOf(limits: typeof LIMITS, ...bodies: readonly (readonly [group: string, name: string])[]) {
  const unfinished = new UnfinishedBodies(limits);
  const closed: string[] = [];
  const ends = bodies.map(([group, name]) => unfinished.begin(group, () => closed.push(name)));
  return { unfinished, closed, ends };
}

describe('Unfinished bodies', () => {
  it('beyond the limit of their group close the oldest of the group, never the new one', () => {
    const { closed } = closedOf(LIMITS, ['a', '1'], ['a', '2'], ['a', '3'], ['a', '4']);
    expect(closed).to.deep.equal(['1', '2']);
  });

  it('of one group do not close those of another', () => {
    const { closed } = closedOf(LIMITS, ['b', 'other'], ['a', '1'], ['a', '2'], ['a', '3']);
    expect(closed).to.deep.equal(['1']);
  });

  it('beyond the limit of all close the oldest of the group that has most', () => {
    const { closed } = closedOf(LIMITS, ['b', 'only'], ['a', '1'], ['a', '2'], ['c', 'x'], ['d', 'new']);
    expect(closed).to.deep.equal(['1']);
  });

  it('that have arrived do not count, and are not closed', () => {
    const { unfinished, closed, ends } = closedOf(LIMITS, ['a', '1'], ['a', '2']);
    ends[0]?.();
    unfinished.begin('a', () => closed.push('3'));
    expect(closed).to.deep.equal([]);
    unfinished.begin('a', () => closed.push('4'));
    expect(closed).to.deep.equal(['2']);
  });

  it('end once: a body that was closed for another does not count twice when it ends', () => {
    const { unfinished, closed, ends } = closedOf(LIMITS, ['a', '1'], ['a', '2'], ['a', '3']);
    for (const end of ends) end();
    const more = ['b', 'b', 'c', 'c'].map((group, i) => unfinished.begin(group, () => closed.push(`m${i}`)));
    expect(more).to.have.length(4);
    expect(closed).to.deep.equal(['1']);
  });
});
