import { expect } from 'chai';
import { MemoryHeldLeases } from '../../src/adapters/memory/memory-held-leases.js';
import { HeldJobs } from '../../src/application/held-jobs.js';
import type { HeldLeases } from '../../src/application/ports/held-leases.js';
import { Unavailable } from '../../src/application/unavailable.js';

const JOB = 'project markets';

describe('HeldJobs', () => {
  let now = 0;
  let made = 0;
  const jobsOf = (heldLeases: HeldLeases) =>
    new HeldJobs({
      heldLeases,
      monotonicClock: () => now,
      jobs: [JOB],
      secrets: {
        make: () => {
          made += 1;
          return `holder ${made}`;
        },
      },
    });

  it('are held by one process until it releases them', async () => {
    const leases = new MemoryHeldLeases();
    const [one, other] = [jobsOf(leases), jobsOf(leases)];
    expect(one.holds(JOB)).to.equal(false);
    for (const jobs of [one, other]) await jobs.renew();
    expect([one.holds(JOB), other.holds(JOB)]).to.deep.equal([true, false]);
    await one.release();
    await other.renew();
    expect([one.holds(JOB), other.holds(JOB)]).to.deep.equal([false, true]);
  });

  it('have another term each time they are acquired, and none while they are not held', async () => {
    const leases = new MemoryHeldLeases();
    const [one, other] = [jobsOf(leases), jobsOf(leases)];
    await one.renew();
    const first = one.term(JOB);
    await one.renew();
    expect([one.term(JOB), other.term(JOB)]).to.deep.equal([first, null]);
    await one.release();
    expect(one.term(JOB)).to.equal(null);
    await other.renew();
    await other.release();
    await one.renew();
    expect(one.term(JOB)).not.to.be.oneOf([first, null]);
  });

  it('are not held 4 s after the beginning of the last renewal that succeeded (D65)', async () => {
    const stored = new MemoryHeldLeases();
    let isAway = false;
    const jobs = jobsOf({
      renew: async (...asked) => {
        now += 1_000; // The answer takes a second.
        if (isAway) throw new Unavailable('the store');
        return stored.renew(...asked);
      },
      release: (holder) => stored.release(holder),
    });
    await jobs.renew();
    isAway = true;
    expect(await jobs.renew().catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
    now += 1_999;
    expect(jobs.holds(JOB)).to.equal(true);
    now += 1;
    expect(jobs.holds(JOB)).to.equal(false);
    isAway = false;
    await jobs.renew();
    expect(jobs.holds(JOB)).to.equal(true);
  });
});
