import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { openWindows } from '../../../src/application/limits/open-windows.js';
import { takeReplayPermit } from '../../../src/application/limits/take-replay-permit.js';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { account, keyId, NOON } from '../../support/objects/builders.js';
import { SMALL } from '../../support/objects/gateway.js';

/** Two permits in a minute, five on a day. */
describe('A replay (D51)', () => {
  const { subscription } = account({ plan: 'free' });
  let now = NOON;
  const permits = () => {
    const counters = new MemoryCounters(() => now);
    const take = takeReplayPermit({ counters, openWindows: openWindows({ plans: SMALL }), clock: () => now });
    return () => take(subscription, keyId('key_1'));
  };

  it('takes permits of its key too, and ends with the limit that its owner has set for a day (D72)', async () => {
    now = NOON;
    const counters = new MemoryCounters(() => now);
    const take = takeReplayPermit({ counters, openWindows: openWindows({ plans: SMALL }), clock: () => now });
    const next = (perMinute: number | null, perDay: number | null) =>
      take(subscription, keyId('key_1'), { perMinute, perDay });
    expect(await next(1, null)).to.equal('granted');
    expect(await next(1, null)).to.deep.equal({ waitSeconds: 60, violated: ['key_minute'] });
    expect(await next(null, 1)).to.equal('granted');
    now = plus(NOON, MINUTE);
    expect(await next(null, 1)).to.include({ refused: 'rate_limited' });
    expect(await take(subscription, keyId('key_1'))).to.equal('granted');
  });

  it('takes permits of its subscription, waits for the next minute, and ends with the quota of the day', async () => {
    now = NOON;
    const take = permits();
    const next = async (count: number) => {
      const answers = [];
      for (let i = 0; i < count; i += 1) answers.push(await take());
      return answers;
    };
    expect(await next(2)).to.deep.equal(['granted', 'granted']);
    now = plus(NOON, 15 * SECOND);
    expect(await next(1)).to.deep.equal([{ waitSeconds: 45, violated: ['minute'] }]);
    now = plus(NOON, MINUTE);
    expect(await next(3)).to.deep.equal(['granted', 'granted', { waitSeconds: 60, violated: ['minute'] }]);
    now = plus(NOON, 2 * MINUTE);
    expect(await next(2)).to.deep.equal([
      'granted',
      { refused: 'rate_limited', violated: ['day'], retryAfterSeconds: 43_080 },
    ]);
  });
});
