import { expect } from 'chai';
import fc from 'fast-check';
import type { Account, Change } from '../../../src/domain/accounts/account.js';
import { applyDue, applyDueAndDecide, nextDue } from '../../../src/domain/accounts/account-due.js';
import { noticesOf } from '../../../src/domain/accounts/notice.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { editKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import { DAY, HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  issued,
  keyId,
  keyNamed,
  NOON,
  runs,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');
const EXPIRY = plus(NOON, 30 * DAY);
const WEEK = plus(EXPIRY, -7 * DAY);
const EVE = plus(EXPIRY, -DAY);
const at = (from: Account, expiresAt: Moment | null, now = NOON): Account =>
  accepted(
    editKey(from, k1, { label: null, controls: { ...NO_CONTROLS, expiresAt } }, PLANS.pro, auditContext(now)),
  ).next;
const expiring = () => at(issued(account(), NOON, 'k1', 'k2'), EXPIRY);
const news = (before: Account, change: Change) => noticesOf(before, change).map(({ news: { kind } }) => kind);

describe('The expiry of a key as due work (D72)', () => {
  it('is written down with the time of the expiry, however late', () => {
    for (const now of [EXPIRY, plus(EXPIRY, 100 * DAY)]) {
      const { next, entries } = applyDue(expiring(), now);
      const state = {
        status: 'revoked',
        cause: 'expiry',
        revokedAt: EXPIRY,
        worksUntil: EXPIRY,
        held: false,
      };
      expect(keyNamed(next, 'k1').state).to.deep.equal(state);
      expect(keyNamed(next, 'k2').state).to.deep.equal({ status: 'active' });
      expect(entries).to.deep.equal([
        {
          actor: 'service',
          reason: 'the expiry of the key has passed',
          at: EXPIRY,
          event: 'expired',
          key: k1,
        },
      ]);
      expect(nextDue(next)).to.equal(null);
    }
    expect(applyDue(expiring(), plus(EXPIRY, -MICROSECOND)).entries).to.deep.equal([]);
  });

  it('reminds the owner 7 days and 1 day before', () => {
    let current = expiring();
    const steps: unknown[] = [];
    for (const now of [plus(WEEK, -MICROSECOND), WEEK, plus(WEEK, HOUR), EVE, plus(EVE, HOUR), EXPIRY]) {
      const change = applyDue(current, now);
      steps.push([nextDue(current), news(current, change)]);
      current = change.next;
    }
    expect(steps).to.deep.equal([
      [WEEK, []],
      [WEEK, ['key_expiring']],
      [EVE, []],
      [EVE, ['key_expiring']],
      [EXPIRY, []],
      [EXPIRY, ['key_expired']],
    ]);
  });

  it('sends one reminder if both are late, and none if the expiry has passed meanwhile', () => {
    const late = applyDue(expiring(), plus(EVE, HOUR));
    expect(noticesOf(expiring(), late).map((notice) => notice.news)).to.deep.equal([
      { kind: 'key_expiring', key: { prefix: 'svc_k1', label: null }, expiresAt: EXPIRY },
    ]);
    expect(news(expiring(), applyDue(expiring(), EXPIRY))).to.deep.equal(['key_expired']);
  });

  it('reminds of each expiry that is set, each time under an occasion of its own', () => {
    const occasion = (from: Account, now: Moment) =>
      noticesOf(from, applyDue(from, now)).map((notice) => notice.occasion);
    const moved = at(expiring(), plus(EXPIRY, DAY));
    const occasions = [
      ...occasion(expiring(), WEEK),
      ...occasion(applyDue(expiring(), WEEK).next, EVE),
      ...occasion(moved, plus(WEEK, DAY)),
    ];
    expect(new Set(occasions).size).to.equal(3);
  });

  it('is not done for a key that was revoked before, or whose expiry was removed', () => {
    const removed = at(expiring(), null);
    const revoked = accepted(revokeKey(expiring(), k1, 'manual', auditContext())).next;
    for (const current of [removed, revoked]) {
      expect(nextDue(current)).to.equal(null);
      expect(applyDue(current, plus(EXPIRY, DAY))).to.deep.equal({ next: current, entries: [] });
    }
  });

  it('cannot be moved or removed any more when it has passed', () => {
    for (const expiresAt of [null, plus(EXPIRY, DAY)]) {
      const controls = { ...NO_CONTROLS, expiresAt };
      const decided = applyDueAndDecide(expiring(), EXPIRY, (current) =>
        editKey(current, k1, { label: null, controls }, PLANS.pro, auditContext(EXPIRY)),
      );
      expect(decided).to.deep.equal({ refused: 'key_revoked' });
    }
  });

  it('has the same result at any rhythm of the due work', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 40 * 24 }), { maxLength: 8 });
    fc.assert(
      fc.property(hours, (some) => {
        const times = some.toSorted((a, b) => a - b).map((hour) => plus(NOON, hour * HOUR));
        const from = expiring();
        const stepped = times.reduce((current, now) => applyDue(current, now).next, from);
        expect(stepped).to.deep.equal(applyDue(from, times.at(-1) ?? NOON).next);
      }),
      runs(100),
    );
  });
});
