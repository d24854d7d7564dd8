import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent, revokeKey } from '../../../src/domain/keys/account-keys.js';
import {
  firstDueOverlap,
  OVERLAP,
  openPredecessor,
  openSuccessor,
  retiresOlder,
} from '../../../src/domain/keys/overlap.js';
import { SUSPENSION_CAUSES, SUSPENSIONS } from '../../../src/domain/keys/suspension.js';
import { HOUR, MINUTE, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  issued,
  keyId,
  keyNamed,
  NOON,
  overlapping,
  rotated,
} from '../../support/objects/builders.js';

const DUE = plus(NOON, OVERLAP);

const revoked = (from: Account, name: string): Account =>
  accepted(revokeKey(from, keyId(name), 'manual', auditContext())).next;
const pairOf = (from: Account, name: string) => ({
  older: openPredecessor(from.keys, keyNamed(from, name))?.id,
  successor: openSuccessor(from.keys, keyNamed(from, name))?.id,
});
const isRetired = (from: Account): boolean => {
  const overlap = firstDueOverlap(from.keys);
  if (overlap === null) throw new Error('no overlap is open');
  return retiresOlder(overlap, from.subscription.suspension);
};

describe('The overlap of a key and its successor (contract section 5.4, D23)', () => {
  it('starts with the rotation: either of the two keys leads to the other', () => {
    expect(pairOf(overlapping(), 'k1')).to.deep.equal({ older: undefined, successor: 's1' });
    expect(pairOf(overlapping(), 's1')).to.deep.equal({ older: 'k1', successor: undefined });
  });

  for (const name of ['k1', 's1']) {
    it(`ends when ${name} is revoked: nothing is due any more`, () => {
      const one = revoked(overlapping(), name);
      expect(firstDueOverlap(one.keys)).to.equal(null);
      for (const each of ['k1', 's1']) {
        expect(pairOf(one, each), each).to.deep.equal({ older: undefined, successor: undefined });
      }
    });
  }

  it('is due 24 hours after the rotation', () => {
    expect(OVERLAP).to.equal(24 * HOUR);
    const due = firstDueOverlap(overlapping().keys);
    expect([due?.older.id, due?.successor.id, due?.at]).to.deep.equal(['k1', 's1', DUE]);
  });

  it('is due at the same moment whatever suspends its keys, and whatever is paid', () => {
    for (const cause of SUSPENSION_CAUSES) {
      const { starts, ends } = SUSPENSIONS[cause];
      const suspended = applyToSubscription(overlapping(), starts, auditContext(plus(NOON, HOUR))).next;
      expect(firstDueOverlap(suspended.keys)?.at, starts).to.equal(DUE);
      const restored = applyToSubscription(suspended, ends, auditContext(plus(NOON, 2 * HOUR))).next;
      expect(firstDueOverlap(restored.keys)?.at, ends).to.equal(DUE);
    }
  });

  it('is handled first if it is due first', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const both = rotated(rotated(two, plus(NOON, MINUTE), 'k1', 's1'), NOON, 'k2', 's2');
    expect(firstDueOverlap(both.keys)?.successor.id).to.equal('s2');
    expect(firstDueOverlap(revoked(both, 's2').keys)?.successor.id).to.equal('s1');
  });

  it('is checked once: an overlap without a moment is not due', () => {
    const both = overlapping();
    const keys = both.keys.map((key) => ({ ...key, overlapEndsAt: null }));
    expect(firstDueOverlap(keys)).to.equal(null);
    expect(pairOf({ ...both, keys }, 's1').older).to.equal('k1');
  });

  it('is not due on an account without a rotation', () => {
    expect(firstDueOverlap(issued(account(), NOON, 'k1', 'k2').keys)).to.equal(null);
    expect(firstDueOverlap([])).to.equal(null);
  });
});

describe('An overlap that is due (D23)', () => {
  it('retires the older key if the successor is active', () => {
    expect(isRetired(overlapping())).to.equal(true);
  });

  it('retires an older key on hold too: only the successor counts', () => {
    expect(
      isRetired(accepted(applyOperatorEvent(overlapping(), keyId('k1'), 'held', auditContext())).next),
    ).to.equal(true);
  });

  it('keeps the older key while the successor is suspended, by a cause of its own or of the subscription', () => {
    expect(
      isRetired(accepted(applyOperatorEvent(overlapping(), keyId('s1'), 'held', auditContext())).next),
    ).to.equal(false);
    for (const cause of SUSPENSION_CAUSES) {
      const { starts } = SUSPENSIONS[cause];
      expect(isRetired(applyToSubscription(overlapping(), starts, auditContext()).next), cause).to.equal(
        false,
      );
    }
  });
});
