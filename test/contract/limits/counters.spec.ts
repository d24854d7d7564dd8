import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from '../../support/objects/builders.js';
import { receiptOf } from '../../support/objects/receipts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const ROUNDS = 20;

eachAdapter('Counters', contracts.counters, (instance, caughtUp) => {
  const subject = () => `{${randomUUID()}}`;
  const permit = (capacity: number, counter = subject()) => ({ counter, capacity, lifetimeSeconds: 60 });
  const one = async () => (await instance()).counters;
  const pair = async () => [await one(), await one()] as const;

  it('grants exactly its capacity in 200 concurrent calls on two instances (D35)', async () => {
    const [left, right] = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const minute = permit(60);
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? left : right).take([minute], 1)),
      );
      expect(answers.filter(({ granted }) => granted === 1)).to.have.length(60);
      expect(await left.take([minute], 0)).to.deep.include({ granted: 0, counts: [60] });
    }
  });

  it('never grants more than its capacity in bursts on two instances, and all of it in the end (D35)', async () => {
    const [left, right] = await pair();
    const day = [permit(2_000)];
    let granted = 0;
    const burst = async (each: number) => {
      const calls = Array.from({ length: 2 * each }, (_, i) => (i % 2 === 0 ? left : right).take(day, 1));
      for (const answer of await Promise.all(calls)) granted += answer.granted;
      expect(granted).to.be.at.most(2_000);
    };
    for (let i = 0; i < 8; i += 1) await burst(50);
    expect(granted).to.be.above(0);
    await caughtUp();
    expect((await left.take(day, 0)).counts).to.deep.equal([granted]);
    await caughtUp();
    while ((await left.take(day, 1)).granted === 1) granted += 1;
    await caughtUp();
    expect(await right.take(day, 1)).to.deep.include({ granted: 0, counts: [2_000] });
    expect(granted).to.equal(2_000);
  });

  it('grants the last permit to exactly one caller (T14)', async () => {
    const [left, right] = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const last = permit(1);
      const answers = await Promise.all([left.take([last], 1), right.take([last], 1)]);
      expect(answers.map(({ granted }) => granted)).to.have.members([1, 0]);
    }
  });

  it('takes from all counters or from none', async () => {
    const counters = await one();
    const name = subject();
    const [minute, day] = [permit(1, `${name}:minute`), permit(10, `${name}:day`)];
    expect(await counters.take([minute, day], 1)).to.deep.include({ granted: 1, counts: [1, 1] });
    expect(await counters.take([minute, day], 1)).to.deep.include({ granted: 0, counts: [1, 1] });
    expect(await counters.take([day, minute], 1)).to.deep.include({ granted: 0, counts: [1, 1] });
  });

  it('only reads if nothing is requested', async () => {
    const counters = await one();
    const minute = permit(5);
    expect(await counters.take([minute], 0)).to.deep.include({ granted: 0, counts: [0] });
    await counters.take([minute], 1);
    expect(await counters.take([minute], 0)).to.deep.include({ granted: 0, counts: [1] });
  });

  it('grants a permit lease as large as the fullest counter allows', async () => {
    const counters = await one();
    const name = subject();
    const [minute, day] = [permit(10, `${name}:minute`), permit(4, `${name}:day`)];
    expect(await counters.take([minute, day], 6)).to.deep.include({ granted: 4, counts: [4, 4] });
  });

  it('grants nothing if a capacity was lowered below the count', async () => {
    const counters = await one();
    const minute = permit(5);
    await counters.take([minute], 5);
    expect(await counters.take([{ ...minute, capacity: 2 }], 1)).to.deep.include({ granted: 0, counts: [5] });
  });

  it('takes permits back, never below zero, and creates no counter by that (D34)', async () => {
    const [left, right] = await pair();
    const minute = permit(5);
    await right.giveBack(receiptOf([minute]), 1);
    expect(await left.take([minute], 2)).to.deep.include({ granted: 2, counts: [2] });
    await right.giveBack(receiptOf([minute]), 1);
    expect(await left.take([minute], 0)).to.deep.include({ granted: 0, counts: [1] });
    await right.giveBack(receiptOf([minute]), 7);
    expect(await left.take([minute], 0)).to.deep.include({ granted: 0, counts: [0] });
  });

  it('keeps a counter for at least its lifetime, from its first count (D34)', async () => {
    const { counters, outlives } = await instance();
    const name = subject();
    const minute = { ...permit(5, `${name}:minute`), lifetimeSeconds: 180 };
    const day = { ...permit(5, `${name}:day`), lifetimeSeconds: 86_520 };
    await counters.take([minute, day], 1);
    expect(await outlives(minute.counter, 178)).to.equal(true);
    expect(await outlives(day.counter, 86_518)).to.equal(true);
  });

  it('keeps counters of different names apart, and those of one name together on every instance', async () => {
    const [left, right] = await pair();
    const [one, other] = [permit(5), permit(5)];
    await left.take([one], 2);
    expect(await right.take([one, other], 0)).to.deep.include({ granted: 0, counts: [2, 0] });
  });

  it('grants the last permit of a shared counter to one of two callers, with all its other counters', async () => {
    const [left, right] = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = subject();
      const [day, here, there] = [permit(1, `${name}:d`), permit(5, `${name}:h`), permit(5, `${name}:t`)];
      const answers = await Promise.all([left.take([here, day], 1), right.take([there, day], 1)]);
      expect(answers.map(({ granted }) => granted)).to.have.members([1, 0]);
      expect((await left.take([here, there, day], 0)).counts.toSorted()).to.deep.equal([0, 1, 1]);
    }
  });

  it('never grants more than the capacity in permit leases, whatever is given back in the meantime (D35)', async () => {
    const [left, right] = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const minute = permit(50);
      const leases = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? left : right).take([minute], 7)),
      );
      const granted = leases.map((lease) => lease.granted);
      expect(granted.reduce((sum, n) => sum + n, 0)).to.equal(50);
      await Promise.all(granted.map((n, i) => (i % 2 === 0 ? right : left).giveBack(receiptOf([minute]), n)));
      expect(await left.take([minute], 0)).to.deep.include({ granted: 0, counts: [0] });
    }
  });

  it('equals plain arithmetic, whatever is taken and given back', async () => {
    const counters = await one();
    const step = fc.record({ take: fc.boolean(), n: fc.nat(4) });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.nat(9),
      async (steps, capacity) => {
        const only = permit(capacity);
        let count = 0;
        for (const { take, n } of steps) {
          if (take) {
            const granted = Math.min(n, capacity - count);
            count += granted;
            expect(await counters.take([only], n)).to.deep.include({ granted, counts: [count] });
          } else {
            await counters.giveBack(receiptOf([only]), n);
            count = Math.max(0, count - n);
          }
        }
      },
    );
    await fc.assert(property, runs(50));
  });
});
