import { expect } from 'chai';
import { applyDueAndDecide } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { revokeKey } from '../../../src/domain/keys/account-keys.js';
import { admittedByKey, endGrace, GRACE, graceUntil, transition } from '../../../src/domain/keys/api-key.js';
import { SUSPENSION_CAUSES } from '../../../src/domain/keys/suspension.js';
import { MICROSECOND, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  countedState,
  issued,
  keyId,
  keyNamed,
  NOON,
  rotated,
  suspendedBy,
} from '../../support/objects/builders.js';
import { ADMITTED, inGrace, REVOKED, stateAfter } from '../../support/objects/key-states.js';

describe('The grace window of a rotated key (D22)', () => {
  const end = plus(NOON, 300 * SECOND);
  const retired = stateAfter(suspendedBy(), 'rotated');

  it('lasts 300 seconds', () => {
    expect(GRACE).to.equal(300 * SECOND);
    expect(retired).to.deep.equal(inGrace);
  });

  it('admits the key until one microsecond before its end, and refuses it from the end on (D22)', () => {
    expect(admittedByKey(retired, NOON)).to.deep.equal(ADMITTED);
    expect(admittedByKey(retired, plus(end, -MICROSECOND))).to.deep.equal(ADMITTED);
    expect(admittedByKey(retired, end)).to.deep.equal(REVOKED);
    expect(admittedByKey(retired, plus(end, MICROSECOND))).to.deep.equal(REVOKED);
  });

  it('is reported while it runs, not after (D30)', () => {
    expect(graceUntil(retired, plus(end, -MICROSECOND))).to.equal(end);
    expect(graceUntil(retired, end)).to.equal(null);
    expect(graceUntil(suspendedBy(), NOON)).to.equal(null);
    expect(graceUntil(suspendedBy('abuse'), NOON)).to.equal(null);
  });

  for (const event of ['cancelled', 'revoked'] as const) {
    it(`is not there after ${event} by a clock that is ahead (D5, D22)`, () => {
      const state = stateAfter(suspendedBy(), event, plus(NOON, MINUTE));
      expect(admittedByKey(state, NOON)).to.deep.equal(REVOKED);
      expect(graceUntil(state, NOON)).to.equal(null);
    });
  }

  for (const event of ['payment_failed', 'abuse_detected', 'held', 'cancelled', 'revoked'] as const) {
    it(`ends at once on ${event}, and the key stays revoked by rotation (D22)`, () => {
      const at = plus(NOON, MINUTE);
      const state = stateAfter(retired, event, at);
      // NOON: the clock that ended it may be ahead of the one that judges the key (D5).
      for (const now of [at, NOON]) expect(admittedByKey(state, now)).to.deep.equal(REVOKED);
      expect(state).to.deep.equal({ ...inGrace, worksUntil: at });
    });
  }

  for (const event of ['invoice_paid', 'abuse_cleared', 'released'] as const) {
    it(`goes on after ${event} (D22)`, () => {
      expect(stateAfter(retired, event, plus(NOON, MINUTE))).to.deep.equal(inGrace);
    });
  }

  it('cannot be reopened by a second rotation (D22)', () => {
    expect(transition(retired, 'rotated', plus(NOON, MINUTE))).to.deep.equal(REVOKED);
    expect(transition(retired, 'rotated', plus(end, MINUTE))).to.deep.equal(REVOKED);
  });

  it('is never prolonged by a later end (D22)', () => {
    expect(endGrace(inGrace, plus(end, -MICROSECOND)).worksUntil).to.equal(plus(end, -MICROSECOND));
    expect(endGrace(inGrace, end)).to.deep.equal(inGrace);
    expect(endGrace(inGrace, plus(end, MINUTE))).to.deep.equal(inGrace);
  });

  it('ends at once when a cause starts on the subscription (D22)', () => {
    const both = rotated(issued(account(), NOON, 'k1'), NOON, 'k1', 'k2');
    const retiredAccount = accepted(revokeKey(both, keyId('k1'), 'rotation', auditContext())).next;
    for (const event of ['payment_failed', 'abuse_detected', 'held'] as const) {
      const at = plus(NOON, MINUTE);
      const { next } = accepted(
        applyDueAndDecide(retiredAccount, at, (now) => applyToSubscription(now, event, auditContext(at))),
      );
      expect(admittedByKey(countedState(next, 'k1'), at), event).to.deep.equal(REVOKED);
    }
    for (const event of ['invoice_paid', 'abuse_cleared', 'released'] as const) {
      const { next } = applyToSubscription(retiredAccount, event, auditContext(plus(NOON, MINUTE)));
      expect(keyNamed(next, 'k1').state, event).to.deep.equal(inGrace);
    }
  });

  it('is not started by a cancellation, a manual revocation or the rotation of a suspended key (D22)', () => {
    const nothing = [
      stateAfter(suspendedBy(), 'cancelled'),
      stateAfter(suspendedBy(), 'revoked'),
      ...SUSPENSION_CAUSES.map((cause) => stateAfter(suspendedBy(cause), 'rotated')),
    ];
    for (const state of nothing) expect(graceUntil(state, NOON)).to.equal(null);
  });
});
