import { expect } from 'chai';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import {
  admittedByKey,
  KEY_EVENTS,
  type KeyEvent,
  type KeyState,
  transition,
} from '../../../src/domain/keys/api-key.js';
import { SCOPES } from '../../../src/domain/keys/scope.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import { between, MICROSECOND, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import {
  accepted,
  account,
  auditContext,
  countedState,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  rotated,
  suspendedBy,
} from '../../support/objects/builders.js';
import { ADMITTED, inGrace, REVOKED, revokedAndHeld, stateAfter } from '../../support/objects/key-states.js';

describe('The table of key states (contract section 3.1)', () => {
  // An independent copy of the table. For a revoked key: its cause, its seconds of grace, and whether it was held.
  const table = `
    event          | active         | payment        | payment+abuse+hold  | rotation 300 | manual 0 held
    payment_failed | payment        | payment        | payment+abuse+hold  | rotation 60  | manual 0 held
    invoice_paid   | active         | active         | abuse+hold          | rotation 300 | manual 0 held
    abuse_detected | abuse          | payment+abuse  | payment+abuse+hold  | rotation 60  | manual 0 held
    abuse_cleared  | active         | payment        | payment+hold        | rotation 300 | manual 0 held
    held           | hold           | payment+hold   | payment+abuse+hold  | rotation 60  | manual 0 held
    released       | active         | payment        | payment+abuse       | rotation 300 | manual 0
    rotated        | rotation 300   | rotation 0     | rotation 0 held     | key_revoked  | key_revoked
    cancelled      | cancellation 0 | cancellation 0 | cancellation 0 held | rotation 60  | manual 0 held
    revoked        | manual 0       | manual 0       | manual 0 held       | rotation 60  | manual 0 held
    expired        | expiry 0       | expiry 0       | expiry 0 held       | rotation 60  | manual 0 held`;

  const refusalOf = (answer: ReturnType<typeof transition>): string => {
    if (isRefusal(answer)) return answer.refused;
    if (answer.status === 'active') return 'active';
    if (answer.status === 'suspended') return answer.causes.map((cause) => SHORT[cause]).join('+');
    const seconds = between(answer.revokedAt, answer.worksUntil) / SECOND;
    return `${answer.cause} ${seconds}${answer.held ? ' held' : ''}`;
  };
  const SHORT = { payment_failure: 'payment', abuse: 'abuse', manual_hold: 'hold' } as const;

  const found: Readonly<Record<string, KeyState>> = {
    active: suspendedBy(),
    payment: suspendedBy('payment_failure'),
    'payment+abuse+hold': suspendedBy(...SUSPENSION_CAUSES),
    'rotation 300': inGrace,
    'manual 0 held': revokedAndHeld,
  };

  const [header = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('has a row for every event (contract section 3.1)', () => {
    expect(rows.map(([event]) => event)).to.deep.equal([...KEY_EVENTS]);
  });

  for (const [event, ...outcomes] of rows) {
    outcomes.forEach((outcome, column) => {
      const before = header[column + 1] ?? '';
      it(`turns “${before}” into “${outcome}” on ${event} (contract section 3.1)`, () => {
        const state = found[before];
        if (state === undefined) throw new Error(`no such state: ${before}`);
        expect(refusalOf(state)).to.equal(before);
        expect(refusalOf(transition(state, event as KeyEvent, plus(NOON, MINUTE)))).to.equal(outcome);
      });
    });
  }
});

describe('By the row of contract section 3.1', () => {
  const oneKey = () => issued(account(), NOON, 'k1');
  const answerOf = (from: ReturnType<typeof oneKey>, at = NOON) =>
    admittedByKey(countedState(from, 'k1'), at);

  it('“(new key) | Key creation by the account holder | Plan key allowance not exceeded | active” a new key works at once, with every current scope', () => {
    const { next } = accepted(issueKey(account(), freshKey('k1'), PLANS.pro, auditContext()));
    expect(answerOf(next)).to.deep.equal(ADMITTED);
    expect(keyNamed(next, 'k1').scopes).to.deep.equal(['events.read', 'markets.read']);
  });

  it('“active | Payment failure after dunning | suspended” requests are refused for `payment_failure`', () => {
    const { next } = applyToSubscription(oneKey(), 'payment_failed', auditContext());
    expect(answerOf(next)).to.deep.equal({ refused: 'key_suspended', causes: ['payment_failure'] });
  });

  it('“active | Abuse-detection trip | suspended” requests are refused for `abuse`', () => {
    const { next } = applyToSubscription(oneKey(), 'abuse_detected', auditContext());
    expect(answerOf(next)).to.deep.equal({ refused: 'key_suspended', causes: ['abuse'] });
  });

  it('“active | Manual support hold | suspended” requests are refused for `manual_hold`, on the key as on the subscription', () => {
    const refusal = { refused: 'key_suspended', causes: ['manual_hold'] };
    expect(
      answerOf(accepted(applyOperatorEvent(oneKey(), keyId('k1'), 'held', auditContext())).next),
    ).to.deep.equal(refusal);
    expect(answerOf(applyToSubscription(oneKey(), 'held', auditContext()).next)).to.deep.equal(refusal);
  });

  it('“suspended | Outstanding invoice paid, or the issue resolved | active” the same key works again, without another action', () => {
    const ways = [
      ['payment_failed', 'invoice_paid'],
      ['abuse_detected', 'abuse_cleared'],
      ['held', 'released'],
    ] as const;
    for (const [source, lift] of ways) {
      const suspended = applyToSubscription(oneKey(), source, auditContext()).next;
      expect(answerOf(suspended)).to.have.property('refused', 'key_suspended');
      expect(answerOf(applyToSubscription(suspended, lift, auditContext()).next)).to.deep.equal(ADMITTED);
    }
  });

  it('“active | Customer rotation | revoked” the older key works for 5 minutes after revocation, then no more', () => {
    const both = rotated(oneKey(), NOON, 'k1', 'k2');
    const { next } = accepted(revokeKey(both, keyId('k1'), 'rotation', auditContext()));
    expect(countedState(next, 'k1').status).to.equal('revoked');
    expect(answerOf(next, plus(NOON, 5 * MINUTE - MICROSECOND))).to.deep.equal(ADMITTED);
    expect(answerOf(next, plus(NOON, 5 * MINUTE))).to.deep.equal(REVOKED);
  });

  it('“active | Customer cancels subscription | revoked” requests are refused at once', () => {
    const { next } = cancelSubscription(oneKey(), auditContext());
    expect(answerOf(next)).to.deep.equal(REVOKED);
  });

  it('“active | Manual revocation by customer or company | revoked” requests are refused at once', () => {
    const { next } = accepted(revokeKey(oneKey(), keyId('k1'), 'manual', auditContext()));
    expect(answerOf(next)).to.deep.equal(REVOKED);
  });

  it('“revoked | none | Permanent” no event restores a key, and a new key can be generated', () => {
    const dead = accepted(revokeKey(oneKey(), keyId('k1'), 'manual', auditContext())).next;
    for (const event of KEY_EVENTS) {
      const state = transition(keyNamed(dead, 'k1').state, event, plus(NOON, SECOND));
      expect(isRefusal(state) || state.status === 'revoked', event).to.equal(true);
    }
    expect(rotateKey(dead, keyId('k1'), freshKey('k2'), auditContext())).to.deep.equal(REVOKED);
    expect(isRefusal(issueKey(dead, freshKey('k2'), PLANS.pro, auditContext()))).to.equal(false);
  });

  it('“Transitions of a suspended key to revoked” these are allowed, and without a grace window (D22)', () => {
    for (const event of ['rotated', 'cancelled', 'revoked'] as const) {
      const state = stateAfter(suspendedBy('payment_failure'), event);
      expect(admittedByKey(state, NOON), event).to.deep.equal(REVOKED);
    }
  });
});

describe('The scopes of a key (D40)', () => {
  it('are copied to it when it is issued, independent of the catalogue (D40)', () => {
    const from = issued(account(), NOON, 'k1');
    expect(keyNamed(from, 'k1').scopes).to.deep.equal([...SCOPES]);
    expect(keyNamed(from, 'k1').scopes).to.not.equal(SCOPES);
    expect(keyNamed(rotated(from, NOON, 'k1', 'k2'), 'k2').scopes).to.deep.equal([...SCOPES]);
  });
});
