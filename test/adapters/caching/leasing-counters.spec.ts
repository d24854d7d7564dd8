import { expect } from 'chai';
import fc from 'fast-check';
import { LeasingCounters } from '../../../src/adapters/caching/leasing-counters.js';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import type { Counters, Taken } from '../../../src/application/ports/limits/counters.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { NOON, runs } from '../../support/objects/builders.js';

const permit = (capacity: number, counter = 'minute'): Permit => ({ counter, capacity, lifetimeSeconds: 60 });

/** Shared counters that count how often they are asked, and answer when they are let to. */
function sharedCounters(schedule: <T>(answer: Promise<T>) => Promise<T> = (answer) => answer) {
  const stored = new MemoryCounters(() => NOON);
  const calls = { take: 0, giveBack: 0 };
  const counters: Counters = {
    take: async (permits, upTo): Promise<Taken> => {
      calls.take += 1;
      return schedule(Promise.resolve(stored.take(permits, upTo)));
    },
    giveBack: async (permits, n) => {
      calls.giveBack += 1;
      return schedule(Promise.resolve(stored.giveBack(permits, n)));
    },
  };
  const countOf = async (permits: readonly Permit[]) => (await stored.take(permits, 0)).counts;
  return { counters, calls, countOf };
}

describe('Counters that lease', () => {
  let now = 0;
  const opened: LeasingCounters[] = [];
  const leasing = (shared: Counters) => {
    const counters = new LeasingCounters(shared, () => now);
    opened.push(counters);
    return counters;
  };
  beforeEach(() => {
    now = 0;
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((counters) => counters.close()));
  });

  const many = async (counters: Counters, permits: readonly Permit[], times: number): Promise<number> => {
    let granted = 0;
    for (let i = 0; i < times; i += 1) granted += (await counters.take(permits, 1)).granted;
    return granted;
  };
  /** Asked for often enough to lease. */
  const warm = async (counters: LeasingCounters, permits: readonly Permit[]) => {
    await many(counters, permits, 50);
    counters.peek();
    await many(counters, permits, 50);
  };

  it('ask nobody for most requests of a subject that is busy', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000), permit(1_000_000, 'day')];
    await warm(one, permits);
    const before = calls.take;
    for (let peek = 0; peek < 10; peek += 1) {
      await many(one, permits, 1_000);
      one.peek();
    }
    expect(calls.take - before).to.be.at.most(100);
  });

  it('ask for each place of a subject that is asked for now and then, and tell of it exactly', async () => {
    const { counters, calls } = sharedCounters();
    const [one, other] = [leasing(counters), leasing(counters)];
    const permits = [permit(3_000)];
    const counts: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      for (const instance of [one, other]) counts.push((await instance.take(permits, 1)).counts[0] ?? 0);
      now += 100;
      one.peek();
      other.peek();
    }
    expect(counts).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(calls.take).to.equal(8);
  });

  it('tell of what is used, not of what is leased, while they are alone', async () => {
    const { counters } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(100_000)];
    for (let i = 1; i <= 500; i += 1) {
      expect(await one.take(permits, 1)).to.deep.equal({ granted: 1, counts: [i] });
      if (i % 100 === 0) one.peek();
    }
    expect(await one.take(permits, 0)).to.deep.equal({ granted: 0, counts: [500] });
  });

  it('lease nothing of a small policy, whatever is asked', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(600), permit(50_000, 'day')];
    await warm(one, permits);
    expect(await many(one, permits, 600)).to.equal(500);
    expect(calls.take).to.equal(700);
  });

  it('give away everything there is, and not one more, when one instance takes it all', async () => {
    for (const capacity of [1_000, 3_000, 20_000]) {
      const { counters, countOf } = sharedCounters();
      const one = leasing(counters);
      const permits = [permit(capacity)];
      let granted = 0;
      for (let i = 0; i < capacity + 500; i += 1) {
        granted += (await one.take(permits, 1)).granted;
        if (i % 300 === 0) one.peek();
      }
      expect(granted).to.equal(capacity);
      expect(await countOf(permits)).to.deep.equal([capacity]);
    }
  });

  it('give back what is not used: when it is idle, when demand falls, and at the end', async () => {
    const { counters, countOf } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000), permit(1_000_000, 'day')];
    await warm(one, permits);
    expect((await countOf(permits))[0]).to.be.greaterThan(100);
    now += 500;
    one.peek();
    expect(await countOf(permits)).to.deep.equal([100, 100]);
    await warm(one, permits);
    // Now and then a request: what is left of the lease must not be sat on.
    for (let i = 0; i < 6; i += 1) {
      now += 100;
      await one.take(permits, 1);
      one.peek();
    }
    expect(await countOf(permits)).to.deep.equal([206, 206]);
    await warm(one, permits);
    await one.close();
    expect(await countOf(permits)).to.deep.equal([306, 306]);
  });

  it('give a place that cost nothing to the next request (D34)', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    const { counts } = await one.take(permits, 1);
    await one.giveBack(permits, 1);
    expect((await one.take(permits, 1)).counts).to.deep.equal(counts);
    expect(calls.giveBack).to.equal(0);
  });

  it('take a place by itself, and give it back, with the very list of its request: who is behind knows it by that', async () => {
    const shared = sharedCounters();
    const lists: (readonly Permit[])[] = [];
    const one = leasing({
      take: (permits, upTo) => {
        lists.push(permits);
        return shared.counters.take(permits, upTo);
      },
      giveBack: (permits, n) => {
        lists.push(permits);
        return shared.counters.giveBack(permits, n);
      },
    });
    const only = permit(60);
    const [first, second] = [[only], [only]];
    await one.take(first, 1);
    await one.take(second, 1);
    await one.giveBack(second, 1);
    expect(
      lists.map((list) => (list === second ? 'second' : list === first ? 'first' : 'another')),
    ).to.deep.equal(['first', 'second', 'second']);
  });

  it('keep subjects and windows apart', async () => {
    const { counters, countOf } = sharedCounters();
    const one = leasing(counters);
    await warm(one, [permit(10_000, 'a')]);
    await warm(one, [permit(10_000, 'b')]);
    await one.close();
    expect([await countOf([permit(10_000, 'a')]), await countOf([permit(10_000, 'b')])]).to.deep.equal([
      [100],
      [100],
    ]);
  });

  it('pass a fault on to who needs a place, and to nobody else', async () => {
    const { counters } = sharedCounters();
    let isAway = false;
    const shaky: Counters = {
      take: (permits, upTo) => (isAway ? Promise.reject(new Error('away')) : counters.take(permits, upTo)),
      giveBack: (permits, n) => (isAway ? Promise.reject(new Error('away')) : counters.giveBack(permits, n)),
    };
    const one = leasing(shaky);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    isAway = true;
    let faults = 0;
    for (let i = 0; i < 1_000; i += 1) {
      await Promise.resolve(one.take(permits, 1)).catch(() => {
        faults += 1;
      });
    }
    expect(faults).to.be.greaterThan(0).and.lessThan(1_000);
    now += 1_000;
    one.peek();
    await one.close();
  });

  describe('of 1 to 8 instances in any order of events', () => {
    type Step =
      | { readonly what: 'take'; readonly who: number; readonly times: number }
      | { readonly what: 'back' | 'look' | 'close'; readonly who: number }
      | { readonly what: 'wait'; readonly ms: number };
    const who = fc.nat(7);
    const steps: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          what: fc.constant('take' as const),
          who,
          times: fc.integer({ min: 1, max: 120 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          what: fc.constantFrom('back' as const, 'look' as const, 'look' as const),
          who,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.constantFrom(50, 100, 500) }),
      },
    );

    it('never admit one too many, and lose no place', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          fc.integer({ min: 1, max: 8 }),
          fc.constantFrom(1_000, 1_500, 3_000),
          fc.array(steps, { minLength: 10, maxLength: 60, size: 'max' }),
          async (scheduler, instances, capacity, list) => {
            now = 0;
            const { counters, countOf } = sharedCounters((answer) => scheduler.schedule(answer));
            const all = Array.from({ length: instances }, () => new LeasingCounters(counters, () => now));
            const of = (n: number) => all[n % instances] ?? leasing(counters);
            const permits = [permit(capacity), permit(50_000, 'day')];
            let admitted = 0;
            const work: Promise<unknown>[] = [];
            for (const step of list) {
              if (step.what === 'wait') now += step.ms;
              else if (step.what === 'look') of(step.who).peek();
              else if (step.what === 'back' && admitted > 0) {
                admitted -= 1;
                work.push(Promise.resolve(of(step.who).giveBack(permits, 1)));
              } else if (step.what === 'take') {
                for (let i = 0; i < step.times; i += 1) {
                  work.push(
                    Promise.resolve(of(step.who).take(permits, 1)).then(({ granted }) => {
                      admitted += granted;
                      expect(admitted).to.be.at.most(capacity);
                    }),
                  );
                }
              }
              if (scheduler.count() > 0) await scheduler.waitNext(1);
            }
            await scheduler.waitIdle();
            await Promise.all(work);
            const closing = Promise.all(all.map((counter) => counter.close()));
            await scheduler.waitIdle();
            await closing;
            expect(await countOf(permits)).to.deep.equal([admitted, admitted]);
          },
        ),
        runs(150),
      );
    });
  });
});
