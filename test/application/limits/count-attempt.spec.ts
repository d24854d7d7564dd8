import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { type CountAttempt, countAttempt } from '../../../src/application/limits/count-attempt.js';
import type { Policy } from '../../../src/domain/limits/rate-limit.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const POLICY: Policy = { name: 'tries', quota: 3, seconds: 60 };

describe('Attempts', () => {
  const clock = { at: NOON };
  let attempt: CountAttempt;
  beforeEach(() => {
    clock.at = NOON;
    attempt = countAttempt({ counters: new MemoryCounters(() => clock.at), clock: () => clock.at });
  });
  const times = async (count: number, who = 'ada', policy = POLICY) => {
    const waits: (number | null)[] = [];
    for (let i = 0; i < count; i += 1) waits.push(await attempt(who, policy));
    return waits;
  };

  it('are allowed up to the quota of a window, then answered with the seconds to wait', async () => {
    expect(await times(4)).to.deep.equal([null, null, null, 60]);
    clock.at = plus(NOON, 59 * 1_000_000 + MICROSECOND);
    expect(await times(1)).to.deep.equal([1]);
  });

  it('are allowed again in each new window, even after refused attempts', async () => {
    await times(10);
    clock.at = plus(NOON, MINUTE - MICROSECOND);
    expect(await times(1)).to.deep.equal([1]);
    clock.at = plus(NOON, MINUTE);
    expect(await times(4)).to.deep.equal([null, null, null, 60]);
  });

  it('are counted separately for each subject and each policy', async () => {
    await times(4);
    expect(await times(1, 'eve')).to.deep.equal([null]);
    expect(await times(1, 'ada', { ...POLICY, name: 'others' })).to.deep.equal([null]);
  });

  it('are allowed exactly up to the quota in a hundred concurrent calls', async () => {
    const waits = await Promise.all(Array.from({ length: 100 }, () => attempt('ada', POLICY)));
    expect(waits.filter((wait) => wait === null)).to.have.length(3);
  });
});
