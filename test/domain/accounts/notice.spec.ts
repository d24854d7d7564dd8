import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, Change } from '../../../src/domain/accounts/account.js';
import { withFirstUses } from '../../../src/domain/accounts/account-due.js';
import { noticesOf, retryAfter } from '../../../src/domain/accounts/notice.js';
import { type BillingRules, withPaymentEvents } from '../../../src/domain/billing/account-payments.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { DUNNING } from '../../../src/domain/billing/dunning.js';
import type { PaymentEvent } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { GRACE } from '../../../src/domain/keys/api-key.js';
import { DAY, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { recordJoin, recordRemoval } from '../../../src/domain/sign-in/account-identities.js';
import {
  accepted,
  account,
  auditContext,
  freshKey,
  issued,
  keyId,
  NOON,
  rotated,
  runs,
  suspendedBy,
} from '../../support/objects/builders.js';
import { day, failed, paid, subscriptionEvent } from '../../support/objects/payment-events.js';

const RULES: BillingRules = { schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' };
const start = () => issued(account(), NOON, 'k1');
const news = (before: Account | null, change: Change) =>
  noticesOf(before, change).map((notice) => notice.news);
const kinds = (before: Account | null, change: Change) => news(before, change).map(({ kind }) => kind);
const paying = (before: Account, now: Moment, ...list: readonly PaymentEvent[]) =>
  withPaymentEvents(before, list, RULES, auditContext(now, 'processor'));

describe('The owner of an account gets a notice', () => {
  it('of a failed payment: the invoice, the next retry, and when the keys stop', () => {
    const begun = paying(start(), day(0), subscriptionEvent(0, 'past_due')).next;
    const change = paying(begun, day(1), failed(0, 1));
    expect(news(begun, change)).to.deep.equal([
      { kind: 'payment_failed', invoice: 'in_1', nextRetryAt: day(1), deadline: day(14) },
    ]);
    expect(noticesOf(begun, change)[0]).to.include({ to: begun.email, occasion: 'payment_failed/in_1/0' });
    expect(kinds(change.next, paying(change.next, day(2), failed(1, 2)))).to.deep.equal(['payment_failed']);
    expect(kinds(change.next, paying(change.next, day(2), failed(0, 1)))).to.deep.equal([]);
  });

  it('of a suspension with its causes, of no attempts after it, and of the restoration', () => {
    const owing = paying(start(), day(8), subscriptionEvent(0, 'past_due'), failed(0, 1)).next;
    const over = paying(owing, day(12), failed(12, 5));
    expect(news(owing, over)).to.deep.equal([
      { kind: 'suspended', causes: ['payment_failure'], state: 'active' },
    ]);
    expect(news(over.next, paying(over.next, day(13), paid(13)))).to.deep.equal([
      { kind: 'restored', plan: 'pro' },
    ]);
  });

  it('of a restoration after a cancellation, with the fact that its keys stay revoked (D22)', () => {
    const paid = paying(start(), day(0), subscriptionEvent(0, 'active')).next;
    const ended = paying(paid, day(1), subscriptionEvent(1, 'canceled'));
    expect(news(paid, ended)).to.deep.include({ kind: 'canceled' });
    const second = { id: 'sub_2', startedOn: 2 };
    const restored = { kind: 'restored', plan: 'pro', keysAreRevoked: true };
    const begun = paying(ended.next, day(2), subscriptionEvent(2, 'active', second));
    expect(news(ended.next, begun)).to.deep.equal([restored]);
    const waiting = paying(ended.next, day(2), subscriptionEvent(2, 'incomplete', second));
    expect(news(ended.next, waiting)).to.deep.equal([
      { kind: 'suspended', causes: [], state: 'incomplete', keysAreRevoked: true },
    ]);
    const unpaid = waiting.next;
    expect(news(unpaid, paying(unpaid, day(3), subscriptionEvent(3, 'active', second)))).to.deep.equal([
      restored,
    ]);
  });

  it('of each additional cause, and of the restoration once none is left', () => {
    const held = applyToSubscription(start(), 'held', auditContext()).next;
    const both = applyToSubscription(held, 'abuse_detected', auditContext());
    expect(news(held, both)).to.deep.equal([
      { kind: 'suspended', causes: ['abuse', 'manual_hold'], state: 'active' },
    ]);
    const half = applyToSubscription(both.next, 'released', auditContext());
    expect(kinds(both.next, half)).to.deep.equal([]);
    expect(kinds(half.next, applyToSubscription(half.next, 'abuse_cleared', auditContext()))).to.deep.equal([
      'restored',
    ]);
  });

  it('of a subscription that is paused, unpaid or incomplete, and of its end', () => {
    for (const status of ['paused', 'unpaid', 'incomplete'] as const) {
      const before = paying(start(), day(0), subscriptionEvent(0, 'active')).next;
      expect(news(before, paying(before, day(1), subscriptionEvent(1, status)))).to.deep.equal([
        { kind: 'suspended', causes: [], state: status },
      ]);
    }
    const before = paying(start(), day(1), subscriptionEvent(1, 'active')).next;
    expect(kinds(before, paying(before, day(2), subscriptionEvent(2, 'canceled')))).to.deep.equal([
      'canceled',
    ]);
  });

  it('of keys that are issued, rotated, retired, revoked, held and released', () => {
    const fresh = { ...freshKey('k2'), label: null };
    const before = start();
    expect(kinds(before, accepted(issueKey(before, fresh, PLANS.pro, auditContext())))).to.deep.equal([
      'key_issued',
    ]);
    expect(kinds(before, accepted(rotateKey(before, keyId('k1'), fresh, auditContext())))).to.deep.equal([
      'key_rotated',
    ]);
    const both = rotated(before, NOON, 'k1', 'k2');
    expect(news(both, accepted(revokeKey(both, keyId('k1'), 'rotation', auditContext())))).to.deep.equal([
      { kind: 'key_retired', key: { prefix: 'svc_k1', label: null }, worksUntil: plus(NOON, GRACE) },
    ]);
    const checked = withFirstUses(both, new Map([[keyId('k2'), null]]), plus(NOON, 7 * DAY));
    expect(news(both, { next: checked, entries: [] })).to.deep.equal([
      { kind: 'successor_unused', key: { prefix: 'svc_k2', label: null }, issuedAt: NOON },
    ]);
    expect(kinds(checked, { next: checked, entries: [] })).to.deep.equal([]);
    expect(kinds(both, accepted(revokeKey(both, keyId('k1'), 'manual', auditContext())))).to.deep.equal([
      'key_revoked',
    ]);
    const held = accepted(applyOperatorEvent(before, keyId('k1'), 'held', auditContext()));
    expect(news(before, held)).to.deep.equal([
      { kind: 'key_suspended', key: { prefix: 'svc_k1', label: null }, causes: ['manual_hold'] },
    ]);
    const released = accepted(applyOperatorEvent(held.next, keyId('k1'), 'released', auditContext()));
    expect(kinds(held.next, released)).to.deep.equal(['key_restored']);
  });

  it('of keys that were revoked with an older subscription', () => {
    const begun = paying(start(), day(1), subscriptionEvent(1, 'active')).next;
    const newer = subscriptionEvent(6, 'active', { id: 'sub_2', startedOn: 6 });
    const second = paying(begun, day(6), newer).next;
    expect(kinds(second, paying(second, day(7), subscriptionEvent(5, 'canceled')))).to.deep.equal([
      'key_revoked',
    ]);
  });

  it('of each first sign-in with a provider, but not of the one that opened the account', () => {
    const before = account();
    const joins = (at: Moment, issuer = 'https://accounts.id.example/realm') =>
      recordJoin(before, issuer, { actor: 'customer', at });
    const later = joins(plus(NOON, MICROSECOND));
    expect(news(before, later)).to.deep.equal([{ kind: 'identity_joined', issuer: 'accounts.id.example' }]);
    expect(news(before, joins(before.openedAt))).to.deep.equal([]);
    const occasions = [
      later,
      joins(plus(NOON, MINUTE)),
      joins(plus(NOON, MINUTE), 'https://github.com'),
    ].flatMap((change) => noticesOf(before, change).map(({ occasion }) => occasion));
    expect(new Set(occasions).size).to.equal(3);
    expect(news(before, recordRemoval(before, auditContext(plus(NOON, MINUTE))))).to.deep.equal([]);
  });

  it('of no change that has no effect on it', () => {
    const before = account({ suspension: suspendedBy('abuse') });
    expect(kinds(before, { next: before, entries: [] })).to.deep.equal([]);
    expect(kinds(null, { next: account(), entries: [] })).to.deep.equal([]);
  });

  it('of each occasion under a name of its own, which contains no hash', () => {
    const steps = fc.array(
      fc.constantFrom(
        'held',
        'released',
        'abuse_detected',
        'abuse_cleared',
        'payment_failed',
        'invoice_paid',
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        let current = start();
        const occasions = list.flatMap((deed, i) => {
          const change = applyToSubscription(current, deed, auditContext(plus(NOON, i * MINUTE)));
          const notices = noticesOf(current, change);
          current = change.next;
          return notices.map(({ occasion }) => occasion);
        });
        expect(new Set(occasions).size).to.equal(occasions.length);
      }),
      runs(200),
    );
    expect(JSON.stringify(noticesOf(null, { next: start(), entries: [] }))).not.to.include('hash');
  });

  it('with retries at growing intervals, and then no more', () => {
    const waits = Array.from({ length: 8 }, (_, i) => retryAfter(i + 1));
    expect(waits.filter((wait) => wait !== null)).to.have.length(7);
    expect(waits.at(-1)).to.equal(null);
    expect([...waits.slice(0, 7)].sort((a, b) => (a ?? 0) - (b ?? 0))).to.deep.equal(waits.slice(0, 7));
  });
});
