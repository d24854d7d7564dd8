import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, AuditEntry } from '../../../src/domain/accounts/account.js';
import {
  applyDue,
  applyDueAndDecide,
  nextDue,
  withFirstUses,
} from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription, cancelSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { OVERLAP, uncheckedSuccessors } from '../../../src/domain/keys/overlap.js';
import { DAY, HOUR, MICROSECOND, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { type Refusal, refuse } from '../../../src/domain/refusal.js';
import {
  accepted,
  account,
  admits,
  auditContext,
  countedState,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  overlapping,
  rotated,
  suspendedBy,
  used,
  usedOverlap,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');
const s1 = keyId('s1');
const DUE = plus(NOON, DAY);
const SERVICE = { actor: 'service', reason: 'retired automatically at the end of the rotation' };

describe('The end of an overlap (D23)', () => {
  it('is due 24 hours after the first use of the successor (D23)', () => {
    expect(OVERLAP).to.equal(24 * HOUR);
    expect(nextDue(usedOverlap())).to.equal(DUE);
    expect(nextDue(used(overlapping(), plus(NOON, HOUR), 's1'))).to.equal(plus(DUE, HOUR));
    expect(nextDue(issued(account(), NOON, 'k1'))).to.equal(null);
  });

  it('retires the older key at the due moment, and not a microsecond before (D23)', () => {
    const both = usedOverlap();
    expect(applyDue(both, plus(DUE, -MICROSECOND))).to.deep.equal({ next: both, entries: [] });
    const { next, entries } = applyDue(both, DUE);
    expect(keyNamed(next, 'k1').state).to.deep.equal({
      status: 'revoked',
      cause: 'rotation',
      revokedAt: DUE,
      worksUntil: plus(DUE, 300 * SECOND),
      held: false,
    });
    expect(entries).to.deep.equal([{ ...SERVICE, event: 'rotated', key: k1, at: DUE }]);
    expect(nextDue(next)).to.equal(null);
  });

  it('is dated at its due moment, however late it runs and in whatever steps (D23)', () => {
    const both = usedOverlap();
    const once = applyDue(both, plus(DUE, 30 * DAY));
    for (const steps of [[DUE], [plus(DUE, -1), plus(DUE, 1)], [NOON, plus(DUE, HOUR), plus(DUE, HOUR)]]) {
      let [current, entries]: [Account, readonly AuditEntry[]] = [both, []];
      for (const step of [...steps, plus(DUE, 30 * DAY)]) {
        const change = applyDue(current, step);
        current = change.next;
        entries = [...entries, ...change.entries];
      }
      expect({ next: current, entries }).to.deep.equal(once);
    }
  });

  it('leaves no grace when it runs more than 300 s late: the window ran from the due moment (D22, D23)', () => {
    const { next } = applyDue(usedOverlap(), plus(DUE, HOUR));
    expect(admits(next, 'k1', plus(DUE, 300 * SECOND - MICROSECOND))).to.equal(true);
    expect(admits(next, 'k1', plus(DUE, 300 * SECOND))).to.equal(false);
  });

  it('is handled for several keys in the order in which they fall due (D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const later = rotated(two, plus(NOON, HOUR), 'k1', 's1');
    const both = used(used(rotated(later, NOON, 'k2', 's2'), NOON, 's2'), plus(NOON, HOUR), 's1');
    expect(nextDue(both)).to.equal(DUE);
    const { entries } = applyDue(both, plus(DUE, HOUR));
    expect(entries.map(({ key, at }) => [key, at])).to.deep.equal([
      ['k2', DUE],
      ['k1', plus(DUE, HOUR)],
    ]);
    expect(applyDue(both, plus(DUE, HOUR - 1)).entries).to.have.length(1);
  });

  it('never comes while the successor is unused, however late the check runs (D23)', () => {
    const both = overlapping();
    expect(nextDue(both)).to.equal(DUE);
    expect(applyDue(both, plus(DUE, 30 * DAY))).to.deep.equal({ next: both, entries: [] });
    const unused = new Map([[s1, null]]);
    for (const [checkedAt, nextCheck] of [
      [DUE, plus(DUE, DAY)],
      [plus(DUE, HOUR), plus(DUE, DAY)],
      [plus(DUE, 30 * DAY), plus(DUE, 31 * DAY)],
    ] as const) {
      const checked = withFirstUses(both, unused, checkedAt);
      expect(nextDue(checked)).to.equal(nextCheck);
      expect(keyNamed(checked, 's1').firstUsedAt).to.equal(null);
      expect(applyDue(checked, plus(checkedAt, 30 * DAY)).entries).to.deep.equal([]);
    }
  });

  it('comes 24 hours after a first use at any time, if the use is checked once a day (D23)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * DAY }), (after) => {
        const firstUse = plus(NOON, after);
        let current = overlapping();
        while (keyNamed(current, 'k1').state.status !== 'revoked') {
          const at = nextDue(current) as Moment;
          const uses = uncheckedSuccessors(current.keys, at).map(
            (id) => [id, firstUse <= at ? firstUse : null] as const,
          );
          current = applyDue(withFirstUses(current, new Map(uses), at), at).next;
        }
        expect(keyNamed(current, 'k1').state).to.include({
          revokedAt: plus(firstUse, DAY),
          cause: 'rotation',
        });
      }),
    );
  });

  it('retires nothing when the successor was revoked first (D23)', () => {
    const { next } = accepted(revokeKey(usedOverlap(), s1, 'manual', auditContext(plus(NOON, HOUR))));
    expect(nextDue(next)).to.equal(null);
    expect(applyDue(next, plus(DUE, DAY))).to.deep.equal({ next, entries: [] });
    expect(admits(next, 'k1', plus(DUE, DAY))).to.equal(true);
  });

  it('retires nothing when the older key was revoked manually (D23)', () => {
    const { next } = accepted(revokeKey(usedOverlap(), k1, 'manual', auditContext(plus(NOON, HOUR))));
    expect(applyDue(next, plus(DUE, DAY))).to.deep.equal({ next, entries: [] });
  });

  it('retires nothing if the successor is not active then; the overlap stays open (D23)', () => {
    const applied = [
      accepted(applyOperatorEvent(usedOverlap(), s1, 'held', auditContext(plus(NOON, HOUR)))).next,
      applyToSubscription(usedOverlap(), 'payment_failed', auditContext(plus(NOON, HOUR))).next,
    ];
    for (const from of applied) {
      const { next, entries } = applyDue(from, DUE);
      expect(entries).to.deep.equal([]);
      expect(keyNamed(next, 'k1').state.status).to.equal('active');
      expect(nextDue(next)).to.equal(null);
      const lifted = applyToSubscription(
        accepted(applyOperatorEvent(next, s1, 'released', auditContext(plus(DUE, HOUR)))).next,
        'invoice_paid',
        auditContext(plus(DUE, HOUR)),
      ).next;
      expect(applyDue(lifted, plus(DUE, 9 * DAY)).entries).to.deep.equal([]);
      expect(rotateKey(lifted, k1, freshKey('s2'), auditContext(plus(DUE, DAY)))).to.deep.equal({
        refused: 'rotation_open',
      });
      expect('refused' in revokeKey(lifted, k1, 'rotation', auditContext(plus(DUE, DAY)))).to.equal(false);
    }
  });

  it('revokes an older key on hold without grace, and the key still counts against the allowance (D21, D22, D23)', () => {
    const held = accepted(applyOperatorEvent(usedOverlap(), k1, 'held', auditContext(plus(NOON, HOUR)))).next;
    const { next } = applyDue(held, DUE);
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', worksUntil: DUE, held: true });
    expect(issueKey(next, freshKey('k2'), PLANS.free, auditContext(DUE))).to.have.property(
      'refused',
      'allowance_exceeded',
    );
  });
});

describe('A decision at a moment', () => {
  const holdAt = (at: Moment) => (current: Account) =>
    applyOperatorEvent(current, s1, 'held', auditContext(at, 'operator'));

  it('starts with what fell due before it, and records that first (D23, D25)', () => {
    const at = plus(DUE, HOUR);
    const change = accepted(applyDueAndDecide(usedOverlap(), at, holdAt(at)));
    expect(change.entries.map(({ event, key, at: when }) => [event, key, when])).to.deep.equal([
      ['rotated', 'k1', DUE],
      ['held', 's1', at],
    ]);
    expect(keyNamed(change.next, 'k1').state.status).to.equal('revoked');
    expect(countedState(change.next, 's1')).to.deep.equal(suspendedBy('manual_hold'));
  });

  it('ignores what falls due after it (D23)', () => {
    const at = plus(DUE, -MICROSECOND);
    const change = accepted(applyDueAndDecide(usedOverlap(), at, holdAt(at)));
    expect(change.entries).to.have.length(1);
    expect(keyNamed(change.next, 'k1').state.status).to.equal('active');
  });

  it('that refuses returns the refusal and changes nothing', () => {
    const refused: Refusal = refuse('no_replacement');
    expect(applyDueAndDecide(usedOverlap(), plus(DUE, HOUR), () => refused)).to.equal(refused);
  });

  it('never changes its input account', () => {
    const both = usedOverlap();
    const before = structuredClone(both);
    const at = plus(DUE, HOUR);
    applyDueAndDecide(both, at, (current) => applyToSubscription(current, 'held', auditContext(at)));
    applyDueAndDecide(both, at, (current) => cancelSubscription(current, auditContext(at)));
    applyDueAndDecide(both, at, holdAt(at));
    expect(both).to.deep.equal(before);
  });
});
