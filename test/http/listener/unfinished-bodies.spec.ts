import { expect } from 'chai';
import { UnfinishedBodies } from '../../../src/adapters/http/listener/unfinished-bodies.js';

const LIMITS = { max: 4, perGroupMax: 2, deadlineMs: 5_000 };

/** Begins bodies in this order, by group and name; `closed` receives the names of those that are closed. */
function closedOf(limits: typeof LIMITS, ...bodies: readonly (readonly [group: string, name: string])[]) {
  const unfinished = new UnfinishedBodies(limits);
  const closed: string[] = [];
  const ends = bodies.map(([group, name]) => unfinished.begin(group, () => closed.push(name)));
  return { unfinished, closed, ends };
}

describe('Unfinished bodies', () => {
  it('close the oldest of their group beyond its limit, never the new one', () => {
    const { closed } = closedOf(LIMITS, ['a', '1'], ['a', '2'], ['a', '3'], ['a', '4']);
    expect(closed).to.deep.equal(['1', '2']);
  });

  it('do not close bodies of another group at the limit of their own group', () => {
    const { closed } = closedOf(LIMITS, ['b', 'other'], ['a', '1'], ['a', '2'], ['a', '3']);
    expect(closed).to.deep.equal(['1']);
  });

  it('close the oldest of the largest group beyond the total limit', () => {
    const { closed } = closedOf(LIMITS, ['b', 'only'], ['a', '1'], ['a', '2'], ['c', 'x'], ['d', 'new']);
    expect(closed).to.deep.equal(['1']);
  });

  it('no longer count once they have arrived, and are not closed', () => {
    const { unfinished, closed, ends } = closedOf(LIMITS, ['a', '1'], ['a', '2']);
    ends[0]?.();
    unfinished.begin('a', () => closed.push('3'));
    expect(closed).to.deep.equal([]);
    unfinished.begin('a', () => closed.push('4'));
    expect(closed).to.deep.equal(['2']);
  });

  it('are subtracted only once, when they are closed for another body and then end', () => {
    const { unfinished, closed, ends } = closedOf(LIMITS, ['a', '1'], ['a', '2'], ['a', '3']);
    for (const end of ends) end();
    const more = ['b', 'b', 'c', 'c'].map((group, i) => unfinished.begin(group, () => closed.push(`m${i}`)));
    expect(more).to.have.length(4);
    expect(closed).to.deep.equal(['1']);
  });
});
