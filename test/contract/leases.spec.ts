import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Lease, Leases } from '../../src/application/ports/leases.js';
import { DAY, HOUR, plus } from '../../src/domain/moment.js';
import { NOON } from '../support/objects/builders.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

const ROUNDS = 20;

/** Acquires a lease. Throws if it is not granted. */
async function granted(leases: Leases, job: string, now = NOON, isForced = false): Promise<Lease> {
  const lease = await leases.acquire(job, now, isForced);
  if (lease === null) throw new Error(`the lease of ${job} is not granted`);
  return lease;
}

eachAdapter('Leases', contracts.leases, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;

  it('gives the lease to one of ten concurrent callers, insisting or not', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const work = randomUUID();
      const takes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].acquire(work, NOON, i % 3 === 0)),
      );
      const granted = takes.filter((lease) => lease !== null);
      expect(granted.map(({ job, checkpoint }) => [job, checkpoint])).to.deep.equal([[work, null]]);
    }
  });

  it('gives the lease again when it is due or the caller insists, with the last checkpoint', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.release(await granted(one, work), plus(NOON, -HOUR), plus(NOON, HOUR));
    expect(await other.acquire(work, NOON, false)).to.equal(null);
    const forced = await granted(other, work, NOON, true);
    expect(forced.checkpoint).to.equal(plus(NOON, -HOUR));
    await other.release(forced, NOON, plus(NOON, HOUR));
    expect((await granted(one, work, plus(NOON, HOUR))).checkpoint).to.equal(NOON);
  });

  it('has the state of before after a lease was abandoned', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    await one.release(await granted(one, work), NOON, plus(NOON, HOUR));
    await one.abandon(await granted(one, work, plus(NOON, HOUR)));
    expect(await other.acquire(work, NOON, false)).to.equal(null);
    expect((await granted(other, work, plus(NOON, HOUR))).checkpoint).to.equal(NOON);
  });

  it('ends a lease only for its holder, not for the holder of an earlier one', async () => {
    const [one, other] = await pair();
    const work = randomUUID();
    const earlier = await granted(one, work);
    // As after an expiry: the earlier holder goes on while another one has the lease.
    await one.abandon(earlier);
    await granted(other, work);
    await one.release(earlier, plus(NOON, DAY), plus(NOON, DAY));
    await one.abandon(earlier);
    expect(await one.acquire(work, NOON, true)).to.equal(null);
  });

  it('keeps jobs apart', async () => {
    const one = await instance();
    expect((await granted(one, randomUUID())).checkpoint).to.equal(null);
    expect((await granted(one, randomUUID())).checkpoint).to.equal(null);
  });
});
