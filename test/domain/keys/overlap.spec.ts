import { expect } from 'chai';
import type { Account } from '../../../src/domain/accounts/account.js';
import { withFirstUses } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent, revokeKey } from '../../../src/domain/keys/account-keys.js';
import {
  dueOverlaps,
  firstEndingOverlap,
  isLongUnused,
  OVERLAP,
  openPredecessor,
  openSuccessor,
  retiresAt,
  retiresOlder,
  uncheckedSuccessors,
} from '../../../src/domain/keys/overlap.js';
import { SUSPENSION_CAUSES, SUSPENSIONS } from '../../../src/domain/keys/suspension.js';
import { DAY, HOUR, MINUTE, plus } from '../../../src/domain/moment.js';
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
  used,
  usedOverlap,
} from '../../support/objects/builders.js';

const DUE = plus(NOON, OVERLAP);

const revoked = (from: Account, name: string): Account =>
  accepted(revokeKey(from, keyId(name), 'manual', auditContext())).next;
const pairOf = (from: Account, name: string) => ({
  older: openPredecessor(from.keys, keyNamed(from, name))?.id,
  successor: openSuccessor(from.keys, keyNamed(from, name))?.id,
});
const isRetired = (from: Account): boolean => {
  const overlap = firstEndingOverlap(from.keys);
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
      expect(dueOverlaps(one.keys)).to.deep.equal([]);
      for (const each of ['k1', 's1']) {
        expect(pairOf(one, each), each).to.deep.equal({ older: undefined, successor: undefined });
      }
    });
  }

  it('is checked 24 hours after the rotation, and ends 24 hours after the first use of the successor', () => {
    expect(OVERLAP).to.equal(24 * HOUR);
    const unused = overlapping().keys;
    expect(dueOverlaps(unused).map(({ older, successor, at }) => [older.id, successor.id, at])).to.deep.equal(
      [['k1', 's1', DUE]],
    );
    expect(firstEndingOverlap(unused)).to.equal(null);
    expect(uncheckedSuccessors(unused, plus(DUE, -1))).to.deep.equal([]);
    expect(uncheckedSuccessors(unused, DUE)).to.deep.equal(['s1']);
    const end = firstEndingOverlap(used(overlapping(), plus(DUE, -HOUR), 's1').keys);
    expect([end?.older.id, end?.successor.id, end?.at]).to.deep.equal(['k1', 's1', plus(DUE, 23 * HOUR)]);
    expect(uncheckedSuccessors(usedOverlap().keys, plus(DUE, HOUR))).to.deep.equal([]);
  });

  it('has a time of its end only once the successor is used, and none if it is kept', () => {
    const successor = keyNamed(overlapping(), 's1');
    expect(retiresAt(successor, null)).to.equal(null);
    expect(retiresAt(successor, plus(NOON, HOUR))).to.equal(plus(DUE, HOUR));
    expect(retiresAt({ ...successor, overlapEndsAt: null }, NOON)).to.equal(null);
  });

  it('is long unused from the check after 7 days, until the successor is used', () => {
    const both = overlapping();
    const checked = (days: number) =>
      withFirstUses(both, new Map([[keyId('s1'), null]]), plus(NOON, days * DAY));
    const isLong = (from: Account) =>
      from.keys.filter((key) => isLongUnused(from.keys, key)).map(({ id }) => id);
    expect(isLong(both)).to.deep.equal([]);
    expect(isLong(checked(6))).to.deep.equal([]);
    expect(isLong(checked(7))).to.deep.equal(['s1']);
    expect(isLong(used(checked(7), plus(NOON, 8 * DAY), 's1'))).to.deep.equal([]);
    expect(isLong(revoked(checked(7), 'k1'))).to.deep.equal([]);
  });

  it('is due at the same moment whatever suspends its keys, and whatever is paid', () => {
    for (const cause of SUSPENSION_CAUSES) {
      const { starts, ends } = SUSPENSIONS[cause];
      const suspended = applyToSubscription(usedOverlap(), starts, auditContext(plus(NOON, HOUR))).next;
      expect(firstEndingOverlap(suspended.keys)?.at, starts).to.equal(DUE);
      const restored = applyToSubscription(suspended, ends, auditContext(plus(NOON, 2 * HOUR))).next;
      expect(firstEndingOverlap(restored.keys)?.at, ends).to.equal(DUE);
    }
  });

  it('is handled first if it is due first', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const both = rotated(rotated(two, plus(NOON, MINUTE), 'k1', 's1'), NOON, 'k2', 's2');
    expect(dueOverlaps(both.keys)[0]?.successor.id).to.equal('s2');
    expect(dueOverlaps(revoked(both, 's2').keys)[0]?.successor.id).to.equal('s1');
  });

  it('is checked once: an overlap without a moment is not due', () => {
    const both = overlapping();
    const keys = both.keys.map((key) => ({ ...key, overlapEndsAt: null }));
    expect(dueOverlaps(keys)).to.deep.equal([]);
    expect(pairOf({ ...both, keys }, 's1').older).to.equal('k1');
  });

  it('is not due on an account without a rotation', () => {
    expect(dueOverlaps(issued(account(), NOON, 'k1', 'k2').keys)).to.deep.equal([]);
    expect(dueOverlaps([])).to.deep.equal([]);
  });
});

describe('An overlap that is due (D23)', () => {
  it('retires the older key if the successor is active', () => {
    expect(isRetired(usedOverlap())).to.equal(true);
  });

  it('retires an older key on hold too: only the successor counts', () => {
    expect(
      isRetired(accepted(applyOperatorEvent(usedOverlap(), keyId('k1'), 'held', auditContext())).next),
    ).to.equal(true);
  });

  it('keeps the older key while the successor is suspended, by a cause of its own or of the subscription', () => {
    expect(
      isRetired(accepted(applyOperatorEvent(usedOverlap(), keyId('s1'), 'held', auditContext())).next),
    ).to.equal(false);
    for (const cause of SUSPENSION_CAUSES) {
      const { starts } = SUSPENSIONS[cause];
      expect(isRetired(applyToSubscription(usedOverlap(), starts, auditContext()).next), cause).to.equal(
        false,
      );
    }
  });
});
