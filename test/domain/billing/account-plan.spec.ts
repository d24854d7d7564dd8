import { expect } from 'chai';
import { deleteAccount } from '../../../src/domain/accounts/account-deletion.js';
import { changePlan, limitChanges, whyNotChangePlan } from '../../../src/domain/billing/account-plan.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { refuse } from '../../../src/domain/refusal.js';
import { afterEvents } from '../../support/objects/account-payments.js';
import { accepted, account, auditContext, key, NOON, suspendedBy } from '../../support/objects/builders.js';
import { subscriptionEvent } from '../../support/objects/payment-events.js';

const context = { ...auditContext(NOON), reason: 'a contract' };

describe('A change of plan', () => {
  const { plan } = account().subscription;
  const other = plan === 'pro' ? 'free' : 'pro';

  it('sets the plan that the account has until the processor names one, and is in the audit log (D126)', () => {
    const { next, entries } = accepted(changePlan(account(), { seen: plan, plan: other }, context));
    expect([next.openedPlan, next.subscription.plan]).to.deep.equal([other, other]);
    const reason = `${plan} → ${other}: a contract`;
    expect(entries).to.deep.equal([{ ...context, reason, event: 'subscription_changed', key: null }]);
  });

  it('is refused if the account has another plan than the operator saw, or has the plan already', () => {
    for (const plans of [
      { seen: other, plan: other },
      { seen: plan, plan },
      { seen: other, plan },
    ] as const) {
      expect(changePlan(account(), plans, context)).to.deep.equal(refuse('changed_meanwhile'));
    }
  });

  it('is refused while the processor names the plan, and for a deleted account (D103, D126)', () => {
    const paying = (named: 'pro' | null) =>
      afterEvents(account(), [subscriptionEvent(0, 'active', { plan: named })], NOON);
    expect(whyNotChangePlan(paying('pro'))).to.deep.equal(refuse('subscription_running'));
    expect(whyNotChangePlan(paying(null))).to.equal(null);
    const deleted = accepted(deleteAccount(account(), [], context)).next;
    expect(changePlan(deleted, { seen: plan, plan: other }, context)).to.deep.equal(
      refuse('account_deleted'),
    );
  });

  it('shows what is beyond the new limits', () => {
    const keys = ['a', 'b', 'c'].map((id) => key(id, suspendedBy()));
    const changes = limitChanges({ keys }, 4, { before: PLANS.pro, after: PLANS.free });
    expect(changes.map(({ limit, inUse, beyond }) => [limit, inUse, beyond])).to.deep.equal([
      ['requestsPerMinute', null, 0],
      ['requestsPerDay', null, 0],
      ['keys', 3, 2],
      ['streams', null, 0],
      ['destinations', 4, 3],
    ]);
    expect(changes[0]).to.deep.include({ before: 3_000, after: 60 });
  });
});
