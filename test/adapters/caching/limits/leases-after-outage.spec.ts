import { expect } from 'chai';
import { LeasingCounters } from '../../../../src/adapters/caching/limits/leasing-counters.js';
import { MemoryCounters } from '../../../../src/adapters/memory/limits/memory-counters.js';
import { FallbackCounters } from '../../../../src/adapters/resilience/fallback-counters.js';
import type { Counters, Receipt } from '../../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../../src/application/unavailable.js';
import type { Permit } from '../../../../src/domain/limits/rate-limit.js';
import { sharedCounters } from '../../../support/copies/shared-counters.js';
import { nextImmediate } from '../../../support/next-immediate.js';
import { NOON } from '../../../support/objects/builders.js';

const PERMIT: Permit = { counter: 'minute', capacity: 1_000_000, lifetimeSeconds: 60 };
const PERMITS: readonly Permit[] = [PERMIT];

/** D35: while the shared counters are away, this process counts alone. */
describe('A permit lease around an outage of the shared counters', () => {
  let now = 0;
  let isAway = false;
  let shared: ReturnType<typeof sharedCounters>;
  let leasing: LeasingCounters;
  beforeEach(() => {
    [now, isAway] = [0, false];
    const answered = <T>(answer: () => Promise<T>) =>
      isAway ? Promise.reject(new Unavailable('Redis')) : answer();
    shared = sharedCounters();
    const { counters } = shared;
    const redis: Counters = {
      take: (permits, upTo) => answered(async () => counters.take(permits, upTo)),
      giveBack: (receipt, n) => answered(async () => counters.giveBack(receipt, n)),
    };
    leasing = new LeasingCounters(new FallbackCounters(redis, new MemoryCounters(() => NOON)), () => now);
  });
  afterEach(() => leasing.close());

  /** Returns the receipt of the last request. */
  const take = async (times: number): Promise<Receipt> => {
    for (let i = 1; ; i += 1) {
      const { granted, receipt } = await leasing.take(PERMITS, 1);
      expect(granted).to.equal(1);
      if (i >= times) return receipt;
    }
  };
  /** Makes the subject busy enough to lease. Returns the receipt of the last request. */
  const warm = async () => {
    await take(50);
    leasing.sweep();
    return take(50);
  };
  /** Takes permits until the lease is refilled from the shared counters, and gives the count of those from then on. */
  const untilShared = async () => {
    const { take: before } = shared.calls;
    while (shared.calls.take === before) await take(1);
    await nextImmediate();
  };
  /** The count of the shared counters after all unused permits were given back. */
  const countWhenIdle = async () => {
    now += 1_000;
    leasing.sweep();
    await nextImmediate();
    return shared.countOf(PERMITS);
  };

  it('gives back to the shared counters only permits that those have counted', async () => {
    isAway = true;
    await warm();
    isAway = false;
    await untilShared();
    await take(5);
    expect(await countWhenIdle()).to.deep.equal([5]);
  });

  it('takes back the permit of a request from the outage only where it was counted (D34)', async () => {
    isAway = true;
    const [direct, leased] = [await take(1), await warm()];
    isAway = false;
    await untilShared();
    await take(5);
    for (const receipt of [direct, leased]) await leasing.giveBack(receipt, 1);
    expect(await countWhenIdle()).to.deep.equal([5]);
  });

  it('takes it back also if no lease is left', async () => {
    isAway = true;
    const receipt = await warm();
    isAway = false;
    await untilShared();
    await take(5);
    expect(await countWhenIdle()).to.deep.equal([5]);
    await leasing.giveBack(receipt, 1);
    expect(await shared.countOf(PERMITS)).to.deep.equal([5]);
  });

  it('grants the whole quota during an outage that begins with a lease', async () => {
    const permits = [{ ...PERMIT, counter: 'small', capacity: 2_000 }];
    const admitted = async (times: number) => {
      let granted = 0;
      for (let i = 0; i < times; i += 1) {
        granted += (await leasing.take(permits, 1)).granted;
        if (i % 50 === 0) leasing.sweep();
      }
      return granted;
    };
    const before = await admitted(200);
    isAway = true;
    expect(before + (await admitted(3_000))).to.equal(2_000);
  });
});
