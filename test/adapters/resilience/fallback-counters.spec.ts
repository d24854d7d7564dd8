import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import type { Counters } from '../../../src/application/ports/limits/counters.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { NOON, runs } from '../../support/objects/builders.js';

/** Shared counters that may be away. */
class Far implements Counters {
  away = false;
  fault: Error = new Unavailable('Redis');
  readonly stored = new MemoryCounters(() => NOON);

  async take(permits: readonly Permit[], upTo: number) {
    if (this.away) throw this.fault;
    return this.stored.take(permits, upTo);
  }

  async giveBack(permits: readonly Permit[], n: number) {
    if (this.away) throw this.fault;
    await this.stored.giveBack(permits, n);
  }
}

describe('Counters with a fallback (D35)', () => {
  const minute: Permit = { counter: 'minute', capacity: 10, lifetimeSeconds: 60 };
  let far: Far;
  const instance = () => new FallbackCounters(far, new MemoryCounters(() => NOON));
  let counters: FallbackCounters;
  beforeEach(() => {
    far = new Far();
    counters = instance();
  });
  const take = (by = counters, upTo = 1) => by.take([minute], upTo);
  const stored = async () => (await far.stored.take([minute], 0)).counts[0];

  it('answer what the shared ones do while those answer', async () => {
    expect(await take()).to.deep.equal({ granted: 1, counts: [1] });
    expect(await stored()).to.equal(1);
  });

  it('go on from what was last seen taken, by this instance or by others', async () => {
    const other = instance();
    for (let i = 0; i < 4; i += 1) await take(other);
    await take();
    far.away = true;
    expect(await take()).to.deep.equal({ granted: 1, counts: [6] });
    expect(await take(counters, 100)).to.deep.equal({ granted: 4, counts: [10] });
    expect(await take()).to.deep.equal({ granted: 0, counts: [10] });
    expect(await take(other)).to.deep.equal({ granted: 1, counts: [5] });
  });

  it('have the whole quota where nothing was seen', async () => {
    far.away = true;
    expect(await take(counters, 100)).to.deep.equal({ granted: 10, counts: [10] });
  });

  it('count together again as soon as the shared ones are back', async () => {
    await take();
    far.away = true;
    await take(counters, 100);
    far.away = false;
    expect(await take()).to.deep.equal({ granted: 1, counts: [2] });
  });

  it('give back where the place was taken, and nowhere else (D34)', async () => {
    const [here, there] = [[minute], [minute]];
    await counters.take(there, 3);
    far.away = true;
    await counters.take(here, 2);
    far.away = false;
    await counters.giveBack(here, 1);
    expect(await stored()).to.equal(3);
    await counters.giveBack(there, 1);
    expect(await stored()).to.equal(2);
  });

  it('lose what cannot be given back, and fail nobody for it', async () => {
    const permits = [minute];
    await counters.take(permits, 3);
    far.away = true;
    await counters.giveBack(permits, 1);
    expect(await take()).to.deep.equal({ granted: 1, counts: [3] });
    far.away = false;
    expect(await stored()).to.equal(3);
  });

  it('hide no bug of the shared ones', async () => {
    far.away = true;
    far.fault = new TypeError('bug');
    const fault = await take().catch((thrown: unknown) => thrown);
    expect(fault).to.equal(far.fault);
  });

  it('never grant more than the quota while the shared ones answer, and at most a quota each while they do not', async () => {
    const step = fc.record({
      what: fc.constantFrom('take' as const, 'giveBack' as const, 'goes' as const, 'is back' as const),
      by: fc.nat(2),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      far = new Far();
      const instances = [instance(), instance(), instance()];
      const held: Permit[][] = [];
      const alone = [0, 0, 0];
      let together = 0;
      for (const { what, by } of steps) {
        const counted = instances[by] ?? counters;
        if (what === 'goes') {
          far.away = true;
          alone.fill(0);
        } else if (what === 'is back') far.away = false;
        else if (what === 'giveBack') {
          const permits = held.pop();
          if (permits !== undefined && !far.away) {
            await counted.giveBack(permits, 1);
            together -= 1;
          }
        } else {
          const permits = [minute];
          const { granted } = await counted.take(permits, 1);
          if (granted === 0) continue;
          if (far.away) alone[by] = (alone[by] ?? 0) + 1;
          else {
            together += 1;
            held.push(permits);
          }
        }
        expect(together).to.be.at.most(10);
        for (const count of alone) expect(count).to.be.at.most(10);
      }
    });
    await fc.assert(property, runs(300));
  });
});
