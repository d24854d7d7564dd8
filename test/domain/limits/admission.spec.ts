import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionState } from '../../../src/domain/billing/subscription.js';
import { GRACE, type KeyState } from '../../../src/domain/keys/api-key.js';
import { whyAccessRefused } from '../../../src/domain/limits/admission.js';
import { limitsOf, policiesOf, whyOverLimit, windows } from '../../../src/domain/limits/rate-limit.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { account, NOON, suspendedBy } from '../../support/objects/builders.js';

const revoked = (worksUntil = NOON): KeyState => ({
  status: 'revoked',
  cause: 'rotation',
  revokedAt: NOON,
  worksUntil,
  held: false,
});

describe('Steps 3 and 4 of the gateway (contract section 5.5)', () => {
  // biome-ignore format: a table is read by its columns
  const byState: Record<SubscriptionState, string | null> = {
    trialing:   null,
    active:     null,
    incomplete: 'subscription_incomplete',
    paused:     'subscription_paused',
    unpaid:     'payment_required',
    canceled:   'key_revoked',
  };
  for (const [state, code] of Object.entries(byState) as [SubscriptionState, string | null][]) {
    it(`treat a reader with an active key and one without a key the same while the subscription is ${state}`, () => {
      const { subscription } = account({ state });
      const withKey = whyAccessRefused(subscription, NOON, { status: 'active' });
      expect(withKey?.refused ?? null).to.equal(code);
      expect(whyAccessRefused(subscription, NOON)).to.deep.equal(withKey);
    });
  }

  it('refuse for the causes of the key and of the subscription together, before the state is checked (D20)', () => {
    const { subscription } = account({ state: 'paused', suspension: suspendedBy('payment_failure') });
    expect(whyAccessRefused(subscription, NOON)).to.deep.equal({
      refused: 'key_suspended',
      causes: ['payment_failure'],
    });
    expect(whyAccessRefused(subscription, NOON, suspendedBy('manual_hold'))).to.deep.equal({
      refused: 'key_suspended',
      causes: ['payment_failure', 'manual_hold'],
    });
  });

  it('admit a rotated key until its grace window ends, half-open (D22)', () => {
    const { subscription } = account();
    const end = plus(NOON, GRACE);
    const key = revoked(end);
    expect(whyAccessRefused(subscription, plus(end, -MICROSECOND), key)).to.equal(null);
    expect(whyAccessRefused(subscription, end, key)).to.deep.equal({ refused: 'key_revoked' });
    expect(whyAccessRefused(account({ state: 'paused' }).subscription, NOON, key)).to.deep.equal({
      refused: 'subscription_paused',
    });
  });
});

describe('Step 5 of the gateway (contract section 5.5)', () => {
  const open = windows('subject', policiesOf(PLANS.free), NOON);

  it('refuses a request that was granted fewer permits than it needs, and names the limit (D33)', () => {
    const limits = limitsOf(open, [PLANS.free.requestsPerMinute, 100]);
    expect(whyOverLimit(limits, 0, 1)).to.deep.equal({
      refused: 'rate_limited',
      violated: ['minute'],
      retryAfterSeconds: 60,
    });
    expect(whyOverLimit(limits, 1, 1)).to.equal(null);
  });

  it('admits a request that needs no permit even when the quota is exhausted', () => {
    expect(whyOverLimit(limitsOf(open, [60, 5_000]), 0, 0)).to.equal(null);
  });
});
