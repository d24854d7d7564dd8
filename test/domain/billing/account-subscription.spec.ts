import { expect } from 'chai';
import { nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent, revokeKey } from '../../../src/domain/keys/account-keys.js';
import { HOUR, MINUTE, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  admits,
  auditContext,
  issued,
  keyId,
  keyNamed,
  NOON,
  overlapping,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');

describe('A cause on the subscription (D20, D21)', () => {
  it('suspends all its keys at once, and its end restores all keys without causes of their own (D21)', () => {
    const three = issued(account(), NOON, 'k1', 'k2', 'k3');
    const held = accepted(applyOperatorEvent(three, keyId('k2'), 'held', auditContext())).next;
    const applied = applyToSubscription(held, 'abuse_detected', auditContext()).next;
    for (const name of ['k1', 'k2', 'k3']) expect(admits(applied, name, NOON), name).to.equal(false);
    const lifted = applyToSubscription(applied, 'abuse_cleared', auditContext()).next;
    expect(['k1', 'k2', 'k3'].filter((name) => admits(lifted, name, NOON))).to.deep.equal(['k1', 'k3']);
  });

  it('does not change keys that are not revoked: their state is derived (D20)', () => {
    const three = issued(account(), NOON, 'k1', 'k2', 'k3');
    expect(applyToSubscription(three, 'abuse_detected', auditContext()).next.keys).to.deep.equal(three.keys);
  });

  it('suspends a key that was issued after the cause ended and before it started again (D21)', () => {
    const lifted = applyToSubscription(
      applyToSubscription(account(), 'held', auditContext()).next,
      'released',
      auditContext(),
    ).next;
    const again = applyToSubscription(issued(lifted, NOON, 'k1'), 'held', auditContext()).next;
    expect(admits(again, 'k1', NOON)).to.equal(false);
  });
});

describe('A cancellation (contract section 3.1, D22)', () => {
  it('revokes every key, active or suspended, at once and for good (contract section 3.1, D22)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const held = accepted(applyOperatorEvent(two, keyId('k2'), 'held', auditContext())).next;
    const { next } = cancelSubscription(held, auditContext(plus(NOON, HOUR)));
    expect(next.subscription.state).to.equal('canceled');
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', cause: 'cancellation', held: false });
    expect(keyNamed(next, 'k2').state).to.include({ status: 'revoked', cause: 'cancellation', held: true });
    for (const name of ['k1', 'k2']) expect(admits(next, name, plus(NOON, HOUR)), name).to.equal(false);
  });

  it('ends a running grace, and nothing is due any more (D22, D23)', () => {
    const retired = accepted(revokeKey(overlapping(), k1, 'rotation', auditContext())).next;
    const at = plus(NOON, MINUTE);
    const { next } = cancelSubscription(retired, auditContext(at));
    expect(admits(next, 'k1', at)).to.equal(false);
    expect(keyNamed(next, 'k1').state).to.include({ cause: 'rotation', revokedAt: NOON, worksUntil: at });
    expect(nextDue(cancelSubscription(overlapping(), auditContext(at)).next)).to.equal(null);
  });
});
