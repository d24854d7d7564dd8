import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../src/domain/accounts/account.js';
import {
  deleteAccount,
  isDeleted,
  whyNotDelete,
  withoutReason,
} from '../../../src/domain/accounts/account-deletion.js';
import { applyDueAndDecide, nextDue } from '../../../src/domain/accounts/account-due.js';
import { type BillingRules, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { issueReference } from '../../../src/domain/billing/checkout-reference.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { PaymentEvent, ProcessorStatus } from '../../../src/domain/billing/payment-event.js';
import { rotateKey } from '../../../src/domain/keys/account-keys.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import {
  accepted,
  account,
  auditContext,
  freshKey,
  issued,
  keyId,
  NOON,
  openInvoice,
  runs,
} from '../../support/objects/builders.js';
import { failed, paid, subscriptionEvent } from '../../support/objects/payment-events.js';

const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
const LATER = plus(NOON, MINUTE);
const by = { actor: 'operator', at: LATER };

const accountAfter = (...events: readonly PaymentEvent[]): Account =>
  withPaymentEvents(account(), events, RULES, auditContext()).next;
const withStatus = (status: ProcessorStatus) => accountAfter(subscriptionEvent(0, status));

describe('The deletion of an account', () => {
  // biome-ignore format: a table is read by its columns
  const cases: readonly (readonly [title: string, account: () => Account, canBeDeleted: boolean])[] = [
    ['without payment facts',                        () => account(),                                      true],
    ['on hold, without payment facts',               () => account({ suspension: { status: 'suspended', causes: ['manual_hold'] } }), true],
    ['whose subscription was cancelled',             () => withStatus('canceled'),                         true],
    ['whose first payment was never completed',      () => withStatus('incomplete_expired'),               true],
    ['with an active subscription',                  () => withStatus('active'),                           false],
    ['in a trial',                                   () => withStatus('trialing'),                         false],
    ['with a failed payment',                        () => accountAfter(subscriptionEvent(0, 'past_due'), failed(0, 1)), false],
    ['whose first payment is not complete',          () => withStatus('incomplete'),                       false],
    ['that is paused',                               () => withStatus('paused'),                           false],
    ['that is unpaid',                               () => withStatus('unpaid'),                           false],
    ['with a paid invoice of an unknown subscription', () => accountAfter(paid(0)),                               false],
    ['with a new subscription after a cancelled one', () => accountAfter(subscriptionEvent(0, 'canceled'), subscriptionEvent(1, 'active', { id: 'sub_2', startedOn: 1 })), false],
  ];
  for (const [title, from, canBeDeleted] of cases) {
    it(`is ${canBeDeleted ? 'possible' : 'refused'} for an account ${title}`, () => {
      const refusal = canBeDeleted ? null : { refused: 'subscription_running' };
      expect(whyNotDelete(from(), [])).to.deep.equal(refusal);
      const answer = deleteAccount(from(), [], by);
      expect(isRefusal(answer) ? answer : null).to.deep.equal(refusal);
    });
  }

  // biome-ignore format: a table is read by its columns
  const unapplied: readonly (readonly [title: string, account: () => Account, events: readonly PaymentEvent[], canBeDeleted: boolean])[] = [
    ['a running subscription, of an account without payment facts', () => account(), [subscriptionEvent(0, 'active')],                                   false],
    ['an invoice of an unknown subscription',                       () => account(), [paid(0)],                                                          false],
    ['a subscription and its end',                                  () => account(), [subscriptionEvent(1, 'canceled'), subscriptionEvent(0, 'active')], true],
    ['a new subscription after the end of the known one', () => withStatus('canceled'), [subscriptionEvent(1, 'active', { id: 'sub_2', startedOn: 1 })], false],
    ['a subscription whose end is known',                 () => withStatus('canceled'), [subscriptionEvent(0, 'active'), paid(0)],                       true],
    ['the end of a subscription that seems to run',       () => withStatus('active'),   [subscriptionEvent(1, 'canceled')],                              false],
  ];
  for (const [title, from, events, canBeDeleted] of unapplied) {
    it(`is ${canBeDeleted ? 'possible' : 'refused'} if events that were not applied report ${title}`, () => {
      const refusal = canBeDeleted ? null : { refused: 'subscription_running' };
      expect(whyNotDelete(from(), events)).to.deep.equal(refusal);
      const answer = deleteAccount(from(), events, by);
      expect(isRefusal(answer) ? answer : null).to.deep.equal(refusal);
    });
  }

  it('replaces the address, removes labels, revokes all keys at once and leaves nothing due', () => {
    const holder = issued(account(), NOON, 'k1', 'k2');
    const labelled = {
      ...holder,
      keys: holder.keys.map((key) => ({ ...key, label: 'laptop of Ada' as Label })),
    };
    const rotating = accepted(rotateKey(labelled, keyId('k1'), freshKey('k3'), auditContext())).next;
    const from = { ...rotating, processorCustomerId: 'cus_1', dunning: [openInvoice()] };
    const { next, entries } = accepted(deleteAccount(from, [], by));
    expect(entries).to.deep.equal([{ ...by, reason: null, event: 'deleted', key: null }]);
    const { email, keys, dunning, pending, subscription, ...kept } = next;
    expect([email, dunning, pending, subscription.state]).to.deep.equal([
      `deleted-${from.id}`,
      [],
      [],
      'canceled',
    ]);
    expect(keys.map(({ id, label, state }) => [id, label, state])).to.deep.equal(
      ['k1', 'k2', 'k3'].map((id) => [
        id,
        null,
        { status: 'revoked', cause: 'cancellation', revokedAt: LATER, worksUntil: LATER, held: false },
      ]),
    );
    expect(from).to.deep.include(kept);
    expect(nextDue(next)).to.equal(null);
  });

  it('leaves neither address nor label, whatever they are', () => {
    const text = fc.string({ minLength: 8, maxLength: 64 });
    fc.assert(
      fc.property(text, text, (email, label) => {
        const holder = { ...issued(account(), NOON, 'k1'), email: `${email}@example.org` };
        const from = {
          ...holder,
          keys: holder.keys.map((key) => ({ ...key, label: `label ${label}` as Label })),
        };
        const left = JSON.stringify(accepted(deleteAccount(from, [], by)));
        return !left.includes(JSON.stringify(from.email)) && !left.includes(JSON.stringify(`label ${label}`));
      }),
      runs(200),
    );
  });

  it('changes nothing the second time', () => {
    const { next } = accepted(deleteAccount(account(), [], by));
    expect(deleteAccount(next, [], { ...by, at: plus(LATER, MINUTE) })).to.deep.equal({ next, entries: [] });
  });

  it('is recognised by the address, which no person can have', () => {
    const from = account();
    expect(isDeleted(from)).to.equal(false);
    const { next } = accepted(deleteAccount(from, [], by));
    expect([isDeleted(next), next.email.includes('@')]).to.deep.equal([true, false]);
  });

  it('ends all later changes and checkout references', () => {
    const { next } = accepted(deleteAccount(account(), [], by));
    const refused = { refused: 'account_deleted' };
    expect(applyDueAndDecide(next, LATER, () => expect.fail('it is deleted'))).to.deep.equal(refused);
    expect(issueReference(next, LATER, () => 'signature')).to.deep.equal(refused);
  });

  it('keeps everything of an audit entry except its reason', () => {
    const entry = {
      ...auditContext(NOON, 'operator', 'Ada called'),
      event: 'held',
      key: keyId('k1'),
    } as const;
    expect(withoutReason(entry)).to.deep.equal({ ...entry, reason: null });
  });
});
