import { expect } from 'chai';
import { nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent, keyOf, revokeKey, whyOutdated } from '../../../src/domain/keys/account-keys.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
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
const s1 = keyId('s1');
const DUE = plus(NOON, DAY);

describe('A rotation (contract section 5.4, D23)', () => {
  it('issues the successor beside the key: both work (D23)', () => {
    const both = overlapping();
    expect(both.keys.map((key) => key.id)).to.deep.equal(['k1', 's1']);
    expect(keyNamed(both, 's1')).to.include({ predecessor: k1, overlapEndsAt: DUE, issuedAt: NOON });
    expect(keyNamed(both, 'k1')).to.include({ predecessor: null, overlapEndsAt: null });
    for (const name of ['k1', 's1']) expect(admits(both, name, NOON), name).to.equal(true);
  });

  it('is ended when the customer revokes the older key, from which the grace window runs (contract section 5.4)', () => {
    const at = plus(NOON, HOUR);
    const { next } = accepted(revokeKey(overlapping(), k1, 'rotation', auditContext(at)));
    expect(admits(next, 'k1', plus(at, 5 * MINUTE - MICROSECOND))).to.equal(true);
    expect(admits(next, 'k1', plus(at, 5 * MINUTE))).to.equal(false);
    expect(admits(next, 's1', plus(at, 5 * MINUTE))).to.equal(true);
    expect(nextDue(next)).to.equal(null);
  });

  it('needs a replacement when the old key is revoked as rotated (D23)', () => {
    const one = issued(account(), NOON, 'k1');
    expect(revokeKey(one, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'no_replacement' });
  });

  it('accepts any active key issued later as replacement, as the contract says (contract section 5.4, D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const { next } = accepted(revokeKey(two, k1, 'rotation', auditContext()));
    expect(admits(next, 'k1', NOON)).to.equal(true);
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', cause: 'rotation' });
  });

  it('accepts no key issued earlier as replacement (D23)', () => {
    const two = issued(account(), NOON, 'k0', 'k1');
    expect(revokeKey(two, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'no_replacement' });
  });

  it('accepts no suspended or revoked key as replacement (D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const held = accepted(applyOperatorEvent(two, keyId('k2'), 'held', auditContext())).next;
    expect(revokeKey(held, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'no_replacement' });
    const revoked = accepted(revokeKey(two, keyId('k2'), 'manual', auditContext())).next;
    expect(revokeKey(revoked, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'no_replacement' });
    const third = issued(revoked, NOON, 'k3');
    expect('refused' in revokeKey(third, k1, 'rotation', auditContext())).to.equal(false);
  });

  it('cannot be ended while the subscription has a cause: no key is active (D21, D23)', () => {
    const applied = applyToSubscription(overlapping(), 'payment_failed', auditContext()).next;
    expect(revokeKey(applied, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'no_replacement' });
    const { next } = accepted(revokeKey(applied, k1, 'manual', auditContext()));
    expect(admits(next, 'k1', NOON)).to.equal(false);
  });

  it('of a held key gives no grace (D22)', () => {
    const held = accepted(applyOperatorEvent(overlapping(), k1, 'held', auditContext())).next;
    const { next } = accepted(revokeKey(held, k1, 'rotation', auditContext()));
    expect(admits(next, 'k1', NOON)).to.equal(false);
    expect(keyNamed(next, 'k1').state).to.include({ cause: 'rotation', held: true });
  });

  it('cannot be applied to a key that is revoked already (contract section 3.1)', () => {
    const { next } = accepted(revokeKey(overlapping(), k1, 'rotation', auditContext()));
    expect(revokeKey(next, k1, 'rotation', auditContext())).to.deep.equal({ refused: 'key_revoked' });
  });

  it('of a key that does not exist is refused as not found', () => {
    const none = { refused: 'not_found', what: 'key' };
    expect(revokeKey(overlapping(), keyId('k9'), 'rotation', auditContext())).to.deep.equal(none);
    expect(revokeKey(overlapping(), keyId('k9'), 'manual', auditContext())).to.deep.equal(none);
    expect(applyOperatorEvent(overlapping(), keyId('k9'), 'held', auditContext())).to.deep.equal(none);
    expect(keyOf(overlapping(), keyId('k9'))).to.deep.equal(none);
  });
});

describe('A change decided on a list of keys', () => {
  const outdated = refuse('changed_meanwhile');

  it('is allowed while the newest key is the newest seen, whatever its state', () => {
    const one = issued(account(), NOON, 'k1');
    expect(whyOutdated(one, k1)).to.equal(null);
    expect(whyOutdated(issued(one, NOON, 'k2'), keyId('k2'))).to.equal(null);
    expect(whyOutdated(accepted(revokeKey(one, k1, 'manual', auditContext())).next, k1)).to.equal(null);
    expect(whyOutdated(accepted(applyOperatorEvent(one, k1, 'held', auditContext())).next, k1)).to.equal(
      null,
    );
  });

  it('is refused once there is a newer key, issued or by rotation', () => {
    const one = issued(account(), NOON, 'k1');
    expect(whyOutdated(issued(one, NOON, 'k2'), k1)).to.deep.equal(outdated);
    expect(whyOutdated(overlapping(), k1)).to.deep.equal(outdated);
    expect(whyOutdated(overlapping(), s1)).to.equal(null);
  });

  it('is allowed without a seen key only if there is none', () => {
    expect(whyOutdated(account(), null)).to.equal(null);
    expect(whyOutdated(account(), k1)).to.deep.equal(outdated);
    expect(whyOutdated(issued(account(), NOON, 'k1'), null)).to.deep.equal(outdated);
  });
});
