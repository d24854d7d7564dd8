import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { openWindows } from '../../../src/application/limits/open-windows.js';
import { isFreeFault, refund } from '../../../src/application/limits/refund.js';
import { NotNow, Unavailable } from '../../../src/application/unavailable.js';
import { limitsOf } from '../../../src/domain/limits/rate-limit.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { account, NOON } from '../../support/objects/builders.js';
import { SMALL } from '../../support/objects/gateway.js';

/** Two permits in a minute, five on a day. */
describe('A refund (D34)', () => {
  const { subscription } = account({ plan: 'free' });

  it('is given for one quota of each window at most, so that free requests end', async () => {
    let now = NOON;
    const counters = new MemoryCounters(() => now);
    const give = refund({ counters, refunds: new MemoryCounters(() => now) });
    const windowsOf = openWindows({ plans: SMALL });
    /** A free request: the permits left after it; null if it was refused. */
    const request = async (): Promise<readonly number[] | null> => {
      const { open, permits } = windowsOf(subscription, now, null);
      const { granted, counts, receipt } = await counters.take(permits, 1);
      if (granted === 0) return null;
      const limits = await give({ limits: limitsOf(open, counts), receipt });
      return limits.map(({ remaining }) => remaining);
    };
    const requests = async (count: number) => {
      const found = [];
      for (let i = 0; i < count; i += 1) found.push(await request());
      return found;
    };
    expect(await requests(5)).to.deep.equal([[2, 5], [2, 5], [1, 4], [0, 3], null]);
    now = plus(NOON, MINUTE);
    expect(await requests(5)).to.deep.equal([[2, 3], [2, 3], [1, 2], [0, 1], null]);
    now = plus(NOON, 2 * MINUTE);
    expect(await requests(3)).to.deep.equal([[2, 1], [1, 0], null]);
  });

  it('is not given after a store that was asked has failed', () => {
    const table: readonly (readonly [fault: unknown, isFree: boolean])[] = [
      [new Unavailable('Postgres'), true],
      [new Unavailable('Postgres', new Error('timeout')), false],
      [new NotNow('Postgres', undefined, 'is full'), true],
      [new Error('a fault of ours'), true],
    ];
    for (const [fault, isFree] of table) expect(isFreeFault(fault)).to.equal(isFree);
  });
});
