import { expect } from 'chai';
import { MemoryCounters } from '../../../src/adapters/memory/limits/memory-counters.js';
import { countFreeCall } from '../../../src/application/limits/count-free-call.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

describe('A call that takes no permit', () => {
  it('is counted for its subscription: 600 a minute, then a refusal until the next one', async () => {
    let now = plus(NOON, 20 * SECOND);
    const count = countFreeCall({ counters: new MemoryCounters(() => now), clock: () => now });
    const [one, other] = ['one', 'other'] as SubscriptionId[] as [SubscriptionId, SubscriptionId];
    for (let i = 0; i < 600; i += 1) expect(await count(one)).to.equal(null);
    const refusal = { refused: 'rate_limited', violated: ['free_calls'], retryAfterSeconds: 40 };
    expect(await count(one)).to.deep.equal(refusal);
    expect(await count(other)).to.equal(null);
    now = plus(NOON, MINUTE);
    expect(await count(one)).to.equal(null);
  });
});
