import { expect } from 'chai';
import fc from 'fast-check';
import { LeasingCounters } from '../../../../src/adapters/caching/limits/leasing-counters.js';
import type { Counters } from '../../../../src/application/ports/limits/counters.js';
import type { Permit } from '../../../../src/domain/limits/rate-limit.js';
import { sharedCounters } from '../../../support/copies/shared-counters.js';
import { runs } from '../../../support/objects/builders.js';
import { receiptOf } from '../../../support/objects/receipts.js';

const permit = (capacity: number, counter = 'minute'): Permit => ({ counter, capacity, lifetimeSeconds: 60 });

describe('Leasing counters', () => {
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
  /** Makes the subject busy enough to lease. */
  const warm = async (counters: LeasingCounters, permits: readonly Permit[]) => {
    await many(counters, permits, 50);
    counters.sweep();
    await many(counters, permits, 50);
  };

  it('answer most requests of a busy subject without a call', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000), permit(1_000_000, 'day')];
    await warm(one, permits);
    const before = calls.take;
    for (let round = 0; round < 10; round += 1) {
      await many(one, permits, 1_000);
      one.sweep();
    }
    expect(calls.take - before).to.be.at.most(100);
  });

  it('take each permit of a quiet subject directly, and return exact counts', async () => {
    const { counters, calls } = sharedCounters();
    const [one, other] = [leasing(counters), leasing(counters)];
    const permits = [permit(3_000)];
    const counts: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      for (const instance of [one, other]) counts.push((await instance.take(permits, 1)).counts[0] ?? 0);
      now += 100;
      one.sweep();
      other.sweep();
    }
    expect(counts).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(calls.take).to.equal(8);
  });

  it('return the used permits, not the leased ones, if there is one instance', async () => {
    const { counters } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(100_000)];
    for (let i = 1; i <= 500; i += 1) {
      expect(await one.take(permits, 1)).to.deep.include({ granted: 1, counts: [i] });
      if (i % 100 === 0) one.sweep();
    }
    expect(await one.take(permits, 0)).to.deep.include({ granted: 0, counts: [500] });
  });

  it('use a lease only for requests with the same counters', async () => {
    const { counters, countOf } = sharedCounters();
    const one = leasing(counters);
    const [minute, day] = [permit(1_000_000), permit(1_000_000, 'day')];
    await warm(one, [minute]);
    expect((await one.take([minute, day], 1)).granted).to.equal(1);
    expect(await countOf([day])).to.deep.equal([1]);
  });

  it('never lease permits of a small policy', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(600), permit(50_000, 'day')];
    await warm(one, permits);
    expect(await many(one, permits, 600)).to.equal(500);
    expect(calls.take).to.equal(700);
  });

  it('grant exactly the capacity to a single instance', async () => {
    for (const capacity of [1_000, 3_000, 20_000]) {
      const { counters, countOf } = sharedCounters();
      const one = leasing(counters);
      const permits = [permit(capacity)];
      let granted = 0;
      for (let i = 0; i < capacity + 500; i += 1) {
        granted += (await one.take(permits, 1)).granted;
        if (i % 300 === 0) one.sweep();
      }
      expect(granted).to.equal(capacity);
      expect(await countOf(permits)).to.deep.equal([capacity]);
    }
  });

  it('give unused permits back when idle, when demand falls, and at shutdown', async () => {
    const { counters, countOf } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000), permit(1_000_000, 'day')];
    await warm(one, permits);
    expect((await countOf(permits))[0]).to.be.greaterThan(100);
    now += 500;
    one.sweep();
    expect(await countOf(permits)).to.deep.equal([100, 100]);
    await warm(one, permits);
    // Few requests: the unused permits must be given back although the subject is not idle.
    for (let i = 0; i < 6; i += 1) {
      now += 100;
      await one.take(permits, 1);
      one.sweep();
    }
    expect(await countOf(permits)).to.deep.equal([206, 206]);
    await warm(one, permits);
    await one.close();
    expect(await countOf(permits)).to.deep.equal([306, 306]);
  });

  it('give a lease back at shutdown that was being refilled when the plan changed', async () => {
    const answers: (() => void)[] = [];
    let isHeld = false;
    const { counters, countOf } = sharedCounters(async (answer) => {
      if (isHeld) await new Promise<void>((done) => answers.push(done));
      return answer;
    });
    const one = leasing(counters);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    isHeld = true;
    const waiting = Array.from({ length: 100 }, () => one.take(permits, 1));
    expect(answers, 'a refill is under way').to.have.length(1);
    const other = one.take([permit(60)], 1);
    const closed = one.close();
    isHeld = false;
    for (const answer of answers) answer();
    await Promise.all([...waiting, other, closed]);
    expect(await countOf(permits)).to.deep.equal([200]);
  });

  it('give an expired lease back before the sweep, when a request arrives first after a pause (T17)', async () => {
    const { counters, countOf } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    await many(counters, permits, 50);
    now += 500;
    expect((await one.take(permits, 0)).counts).to.deep.equal([150]);
    await warm(one, permits);
    await many(counters, permits, 50);
    now += 500;
    expect(await one.take(permits, 1)).to.deep.include({ granted: 1, counts: [301] });
    await one.close();
    expect(await countOf(permits)).to.deep.equal([301]);
  });

  it('reuse a permit that was given back for the next request (D34)', async () => {
    const { counters, calls } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    const { counts, receipt } = await one.take(permits, 1);
    await one.giveBack(receipt, 1);
    expect((await one.take(permits, 1)).counts).to.deep.equal(counts);
    expect(calls.giveBack).to.equal(0);
  });

  it('give a permit back by a copy of its receipt, and of its list', async () => {
    const { counters, calls, countOf } = sharedCounters();
    const one = leasing(counters);
    const permits = [permit(60)];
    const { receipt } = await one.take([...permits], 1);
    await one.giveBack({ ...receipt, permits: [...receipt.permits] }, 1);
    expect([calls.giveBack, await countOf(permits)]).to.deep.equal([1, [0]]);
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

  it('pass an error only to a request that needs a permit from the shared counters', async () => {
    const { counters } = sharedCounters();
    let isDown = false;
    const unreliable: Counters = {
      take: (permits, upTo) => (isDown ? Promise.reject(new Error('down')) : counters.take(permits, upTo)),
      giveBack: (permits, n) => (isDown ? Promise.reject(new Error('down')) : counters.giveBack(permits, n)),
    };
    const one = leasing(unreliable);
    const permits = [permit(1_000_000)];
    await warm(one, permits);
    isDown = true;
    let faults = 0;
    for (let i = 0; i < 1_000; i += 1) {
      await Promise.resolve(one.take(permits, 1)).catch(() => {
        faults += 1;
      });
    }
    expect(faults).to.be.greaterThan(0).and.lessThan(1_000);
    now += 1_000;
    one.sweep();
    await one.close();
  });

  describe('of 1 to 8 instances in any order of events', () => {
    type Step =
      | { readonly what: 'take'; readonly instance: number; readonly times: number }
      | { readonly what: 'give back' | 'sweep'; readonly instance: number }
      | { readonly what: 'wait'; readonly ms: number };
    const instance = fc.nat(7);
    const steps: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          what: fc.constant('take' as const),
          instance,
          times: fc.integer({ min: 1, max: 120 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          what: fc.constantFrom('give back' as const, 'sweep' as const, 'sweep' as const),
          instance,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.constantFrom(50, 100, 500) }),
      },
    );

    it('never admit too many requests, and lose no permit', async () => {
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
              else if (step.what === 'sweep') of(step.instance).sweep();
              else if (step.what === 'give back' && admitted > 0) {
                admitted -= 1;
                work.push(Promise.resolve(of(step.instance).giveBack(receiptOf(permits), 1)));
              } else if (step.what === 'take') {
                for (let i = 0; i < step.times; i += 1) {
                  work.push(
                    Promise.resolve(of(step.instance).take(permits, 1)).then(({ granted }) => {
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
