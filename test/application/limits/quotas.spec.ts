import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { Quotas } from '../../../src/application/limits/quotas.js';
import type { Policy } from '../../../src/domain/limits/rate-limit.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const POLICY: Policy = { name: 'tries', quota: 2, seconds: 60 };

describe('Permits', () => {
  const clock = { at: NOON };
  let taken: Quotas;
  beforeEach(() => {
    clock.at = NOON;
    const counters = new MemoryCounters(() => clock.at);
    taken = new Quotas({ counters, clock: () => clock.at, policy: POLICY });
  });
  const granted = async (subject = 'a') => {
    const permit = await taken.take(subject);
    return 'refused' in permit ? expect.fail(permit.refused) : permit;
  };

  it('are granted up to the quota of a window, then refused with the seconds until the next', async () => {
    for (let i = 0; i < 2; i += 1) await granted();
    expect(await taken.take('a')).to.deep.equal({
      refused: 'rate_limited',
      violated: ['tries'],
      retryAfterSeconds: 60,
    });
    await granted('b');
    clock.at = plus(NOON, MINUTE);
    await granted();
  });

  it('that are given back can be taken again', async () => {
    await granted();
    const permit = await granted();
    await permit.giveBack();
    await granted();
    expect(await taken.isExhausted('a')).to.equal(true);
  });

  it('are used up once the quota is reached, and reading that takes none', async () => {
    for (let i = 0; i < 3; i += 1) expect(await taken.isExhausted('a')).to.equal(false);
    for (let i = 0; i < 2; i += 1) await granted();
    expect([await taken.isExhausted('a'), await taken.isExhausted('b')]).to.deep.equal([true, false]);
  });
});
