import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { FallbackCounters } from '../../../src/adapters/resilience/fallback-counters.js';
import type { Counters, Receipt } from '../../../src/application/ports/limits/counters.js';
import { Unavailable, UnavailableAfterPause } from '../../../src/application/unavailable.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';
import { NOON, runs } from '../../support/objects/builders.js';

/** Shared counters that can be made unavailable. */
class FakeShared implements Counters {
  isDown = false;
  fault: Error = new Unavailable('Redis');
  readonly stored = new MemoryCounters(() => NOON);

  async take(permits: readonly Permit[], upTo: number) {
    if (this.isDown) throw this.fault;
    return this.stored.take(permits, upTo);
  }

  async giveBack(receipt: Receipt, n: number) {
    if (this.isDown) throw this.fault;
    await this.stored.giveBack(receipt, n);
  }
}

describe('Counters with a fallback (D35)', () => {
  const minute: Permit = { counter: 'minute', capacity: 10, lifetimeSeconds: 60 };
  let shared: FakeShared;
  const instance = () => new FallbackCounters(shared, new MemoryCounters(() => NOON));
  let counters: FallbackCounters;
  beforeEach(() => {
    shared = new FakeShared();
    counters = instance();
  });
  const take = (by = counters, upTo = 1) => by.take([minute], upTo);
  const stored = async () => (await shared.stored.take([minute], 0)).counts[0];

  it('return the answers of the shared counters while those are available', async () => {
    expect(await take()).to.deep.include({ granted: 1, counts: [1] });
    expect(await stored()).to.equal(1);
  });

  it('continue from the last shared counts of all instances', async () => {
    const other = instance();
    for (let i = 0; i < 4; i += 1) await take(other);
    await take();
    shared.isDown = true;
    expect(await take()).to.deep.include({ granted: 1, counts: [6] });
    expect(await take(counters, 100)).to.deep.include({ granted: 4, counts: [10] });
    expect(await take()).to.deep.include({ granted: 0, counts: [10] });
    expect(await take(other)).to.deep.include({ granted: 1, counts: [5] });
  });

  it('have the whole quota if they never saw a shared count', async () => {
    shared.isDown = true;
    expect(await take(counters, 100)).to.deep.include({ granted: 10, counts: [10] });
  });

  it('use the shared counters again as soon as those are available', async () => {
    await take();
    shared.isDown = true;
    await take(counters, 100);
    shared.isDown = false;
    expect(await take()).to.deep.include({ granted: 1, counts: [2] });
  });

  it('give a permit back only where it was taken (D34)', async () => {
    const { receipt: counted } = await take(counters, 3);
    shared.isDown = true;
    const { receipt: countedLocally } = await take(counters, 2);
    shared.isDown = false;
    await counters.giveBack(countedLocally, 1);
    expect(await stored()).to.equal(3);
    await counters.giveBack(counted, 1);
    expect(await stored()).to.equal(2);
  });

  it('lose permits that cannot be given back, without an error', async () => {
    const { receipt } = await take(counters, 3);
    shared.isDown = true;
    await counters.giveBack(receipt, 1);
    expect(await take()).to.deep.include({ granted: 1, counts: [3] });
    shared.isDown = false;
    expect(await stored()).to.equal(3);
  });

  it('wait for the shared counters after a pause of this process, and repeat the call (T17)', async () => {
    await take();
    const other = instance();
    let answered: (isAnswered: boolean) => void = () => {};
    shared.fault = new UnavailableAfterPause(
      'Redis',
      new Promise((done) => {
        answered = done;
      }),
    );
    shared.isDown = true;
    const waiting = take(counters, 100);
    shared.isDown = false;
    await take(other, 7);
    answered(true);
    expect(await waiting).to.deep.include({ granted: 2, counts: [10] });
  });

  it('continue from the last shared counts if those do not answer after a pause either', async () => {
    await take();
    shared.fault = new UnavailableAfterPause('Redis', Promise.resolve(false));
    shared.isDown = true;
    expect(await take()).to.deep.include({ granted: 1, counts: [2] });
  });

  it('do not hide a bug of the shared counters', async () => {
    shared.isDown = true;
    shared.fault = new TypeError('bug');
    const fault = await Promise.resolve(take()).catch((thrown: unknown) => thrown);
    expect(fault).to.equal(shared.fault);
  });

  it('grant at most one quota together while connected, and one quota each while not', async () => {
    const step = fc.record({
      what: fc.constantFrom('take' as const, 'giveBack' as const, 'goes down' as const, 'recovers' as const),
      by: fc.nat(2),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      shared = new FakeShared();
      const instances = [instance(), instance(), instance()];
      const held: Receipt[] = [];
      const grantedLocally = [0, 0, 0];
      let grantedShared = 0;
      for (const { what, by } of steps) {
        const chosen = instances[by] ?? counters;
        if (what === 'goes down') {
          shared.isDown = true;
          grantedLocally.fill(0);
        } else if (what === 'recovers') shared.isDown = false;
        else if (what === 'giveBack') {
          const receipt = held.pop();
          if (receipt !== undefined && !shared.isDown) {
            await chosen.giveBack(receipt, 1);
            grantedShared -= 1;
          }
        } else {
          const { granted, receipt } = await chosen.take([minute], 1);
          if (granted === 0) continue;
          if (shared.isDown) grantedLocally[by] = (grantedLocally[by] ?? 0) + 1;
          else {
            grantedShared += 1;
            held.push(receipt);
          }
        }
        expect(grantedShared).to.be.at.most(10);
        for (const count of grantedLocally) expect(count).to.be.at.most(10);
      }
    });
    await fc.assert(property, runs(300));
  });
});
