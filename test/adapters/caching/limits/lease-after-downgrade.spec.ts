import { expect } from 'chai';
import { LeasingCounters } from '../../../../src/adapters/caching/limits/leasing-counters.js';
import type { Counters } from '../../../../src/application/ports/limits/counters.js';
import type { Permit } from '../../../../src/domain/limits/rate-limit.js';
import { sharedCounters } from '../../../support/copies/shared-counters.js';

const permit = (capacity: number, counter = 'minute'): Permit => ({ counter, capacity, lifetimeSeconds: 60 });

describe('A permit lease after a change of the plan', () => {
  const opened: LeasingCounters[] = [];
  const leasing = (shared: Counters) => {
    const counters = new LeasingCounters(shared, () => 0);
    opened.push(counters);
    return counters;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counters) => counters.close()));
  });

  const many = async (counters: Counters, permits: readonly Permit[], times: number): Promise<number> => {
    let granted = 0;
    for (let i = 0; i < times; i += 1) granted += (await counters.take(permits, 1)).granted;
    return granted;
  };
  /** Makes the subject busy enough to lease. */
  const warm = async (counters: LeasingCounters, permits: readonly Permit[]) => {
    await many(counters, permits, 50);
    counters.sweep();
    await many(counters, permits, 50);
  };

  it('ends: a downgrade counts at once, and unused permits are returned', async () => {
    const { counters } = sharedCounters();
    const one = leasing(counters);
    const [before, after] = [
      [permit(3_000), permit(1_000_000, 'day')],
      [permit(60), permit(5_000, 'day')],
    ];
    await warm(one, before);
    const used = (await counters.take(before, 0)).counts[0] ?? 0;
    expect(used).to.be.greaterThan(100); // With the lease.
    expect(await many(one, after, 100)).to.equal(0);
    expect((await counters.take(after, 0)).counts).to.deep.equal([100, 100]);
    const small = leasing(sharedCounters().counters);
    await warm(small, [permit(10_000)]);
    expect((await small.take([permit(20_000)], 1)).counts).to.deep.equal([101]);
  });
});
