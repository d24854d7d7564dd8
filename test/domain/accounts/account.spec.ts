import { expect } from 'chai';
import {
  ACCOUNT_EVENTS,
  type AccountId,
  andThenChange,
  causeOf,
  isEmailOf,
  openAccount,
} from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { NO_PAYMENT_FACTS } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  freshKey,
  issued,
  keyId,
  NOON,
  overlapping,
  suspendedBy,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');

describe('An account that is opened (D27, D30)', () => {
  it('has an active subscription on its plan, and no keys (D27)', () => {
    const { next, entries } = openAccount(
      {
        id: 'a1' as AccountId,
        subscriptionId: 'b1' as SubscriptionId,
        email: 'ada@example.com' as EmailAddress,
        plan: 'builder',
        processorCustomerId: 'cus_1',
      },
      auditContext(NOON, 'operator'),
    );
    expect(next).to.deep.equal({
      id: 'a1',
      email: 'ada@example.com',
      processorCustomerId: 'cus_1',
      openedAt: NOON,
      openedPlan: 'builder',
      subscription: {
        id: 'b1',
        plan: 'builder',
        state: 'active',
        suspension: { status: 'active' },
        monitoring: { isOn: true, since: NOON },
      },
      keys: [],
      closedKeys: 0,
      askTiesAt: null,
      payments: NO_PAYMENT_FACTS,
      dunning: [],
      pending: [],
    });
    expect(entries).to.deep.equal([
      { event: 'opened', key: null, actor: 'operator', reason: null, at: NOON },
    ]);
  });
});

describe('The audit log of an account (D25)', () => {
  const support = { actor: 'operator:kim', reason: 'ticket 12', at: plus(NOON, MINUTE) };

  it('has actor, reason, time and key of every change (D25)', () => {
    const both = overlapping();
    // biome-ignore format: a table is read by its columns
    const actions = [
      [issueKey(account(), freshKey('k1'), PLANS.pro, support),                'issued',         'k1'],
      [rotateKey(issued(account(), NOON, 'k1'), k1, freshKey('s1'), support),  'issued',         's1'],
      [revokeKey(both, k1, 'rotation', support),                               'rotated',        'k1'],
      [revokeKey(both, k1, 'manual', support),                                 'revoked',        'k1'],
      [applyOperatorEvent(both, k1, 'held', support),                                   'held',           'k1'],
      [applyOperatorEvent(both, k1, 'released', support),                               'released',       'k1'],
      [applyToSubscription(both, 'payment_failed', support),                    'payment_failed', null],
      [applyToSubscription(both, 'invoice_paid', support),                      'invoice_paid',   null],
      [applyToSubscription(both, 'abuse_detected', support),                    'abuse_detected', null],
      [applyToSubscription(both, 'abuse_cleared', support),                     'abuse_cleared',  null],
      [applyToSubscription(both, 'held', support),                              'held',           null],
      [applyToSubscription(both, 'released', support),                          'released',       null],
      [cancelSubscription(both, support),                                      'cancelled',      null],
    ] as const;
    for (const [change, event, key] of actions) {
      expect(accepted(change).entries, event).to.deep.equal([{ ...support, event, key }]);
    }
  });
});

describe('An entry of the audit log (D25)', () => {
  // biome-ignore format: a table is read by its columns
  const causes = [
    ['payment_failed',       'payment_failure'],
    ['invoice_paid',         'payment_failure'],
    ['abuse_detected',       'abuse'],
    ['abuse_cleared',        'abuse'],
    ['held',                 'manual_hold'],
    ['released',             'manual_hold'],
    ['rotated',              'rotation'],
    ['cancelled',            'cancellation'],
    ['revoked',              'manual'],
    ...ACCOUNT_EVENTS.map((event) => [event, null] as const),
  ] as const;
  for (const [event, cause] of causes) {
    it(`names ${cause ?? 'no cause'} for the event ${event}`, () => {
      expect(causeOf({ ...auditContext(), event, key: null })).to.equal(cause);
    });
  }
});

describe('One change after another', () => {
  it('decides on the result of the first, and records both in order', () => {
    const first = applyToSubscription(account(), 'held', auditContext(NOON, 'ann'));
    const both = andThenChange(first, (current) =>
      applyToSubscription(current, 'abuse_detected', auditContext(NOON, 'service')),
    );
    expect(both.next.subscription.suspension).to.deep.equal(suspendedBy('abuse', 'manual_hold'));
    expect(both.entries.map(({ event, actor }) => [event, actor])).to.deep.equal([
      ['held', 'ann'],
      ['abuse_detected', 'service'],
    ]);
  });
});

describe('The email address of an account (D42)', () => {
  it('matches in any letter case, and never null', () => {
    const { email } = account();
    const owner = { ...account(), email };
    expect(isEmailOf(owner, email)).to.equal(true);
    expect(isEmailOf(owner, email.toUpperCase())).to.equal(true);
    for (const other of [null, '', `${email}x`, ` ${email}`]) expect(isEmailOf(owner, other)).to.equal(false);
  });
});
