import { expect } from 'chai';
import { cachedWindows } from '../../../../src/adapters/caching/limits/cached-windows.js';
import { openWindows } from '../../../../src/application/limits/open-windows.js';
import { PLANS, type PlanName } from '../../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../../src/domain/billing/subscription.js';
import { type Moment, plus, SECOND } from '../../../../src/domain/moment.js';
import { keyId, NOON } from '../../../support/objects/builders.js';

describe('Windows that are computed once a second', () => {
  const compute = openWindows({ plans: PLANS });
  const subscription = (plan: PlanName = 'pro') => ({ id: 'sub_1' as SubscriptionId, plan });
  const key = keyId('key_1');
  const at = (seconds: number): Moment => plus(NOON, seconds * SECOND);

  it('equal those that are computed for each request, in each second and after a change of plan', () => {
    const cached = cachedWindows(compute);
    for (const seconds of [0, 0.5, 1, 2, 59, 60, 61, 3_600, 86_400, 86_401]) {
      for (const plan of ['pro', 'free', 'pro'] as const) {
        const { open, permits } = cached(subscription(plan), at(seconds), key);
        expect({ open, permits }).to.deep.equal(compute(subscription(plan), at(seconds), key));
      }
    }
  });

  it('are the same objects within a second', () => {
    const cached = cachedWindows(compute);
    const first = cached(subscription(), at(0), key);
    expect(cached(subscription(), at(0.9), key)).to.equal(first);
    expect(cached(subscription(), at(1), key)).not.to.equal(first);
  });
});
