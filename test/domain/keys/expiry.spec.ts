import { expect } from 'chai';
import fc from 'fast-check';
import type { KeyState } from '../../../src/domain/keys/api-key.js';
import { dueExpiries, nextReminder, stateAt } from '../../../src/domain/keys/expiry.js';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import { DAY, HOUR, MICROSECOND, MINUTE, type Moment, plus } from '../../../src/domain/moment.js';
import { key, NOON, runs, suspendedBy } from '../../support/objects/builders.js';
import { inGrace, revokedAndHeld } from '../../support/objects/key-states.js';

const expiring = (expiresAt: Moment | null, state: KeyState = { status: 'active' }) => ({
  ...key('k1', state),
  controls: { ...NO_CONTROLS, expiresAt },
});
const EXPIRED = { status: 'revoked', cause: 'expiry', revokedAt: NOON, worksUntil: NOON, held: false };

describe('The state of a key with an expiry (D72)', () => {
  it('is the stored one until the expiry, and revoked from then on, without a grace window', () => {
    expect(stateAt(expiring(NOON), plus(NOON, -MICROSECOND))).to.deep.equal({ status: 'active' });
    expect(stateAt(expiring(NOON), NOON)).to.deep.equal(EXPIRED);
    expect(stateAt(expiring(NOON), plus(NOON, DAY))).to.deep.equal(EXPIRED);
  });

  it('is the stored one without an expiry, or without controls', () => {
    expect(stateAt(expiring(null), NOON)).to.deep.equal({ status: 'active' });
    expect(stateAt({ ...key('k1'), controls: null }, NOON)).to.deep.equal({ status: 'active' });
  });

  it('is revoked for a suspended key too, which still counts if it was on hold (D21)', () => {
    expect(stateAt(expiring(NOON, suspendedBy('payment_failure')), NOON)).to.deep.equal(EXPIRED);
    expect(stateAt(expiring(NOON, suspendedBy('manual_hold')), NOON)).to.deep.equal({
      ...EXPIRED,
      held: true,
    });
  });

  it('ends a grace window (D22), and changes no other revoked key', () => {
    const end = plus(NOON, MINUTE);
    expect(stateAt(expiring(end, inGrace), NOON)).to.deep.equal(inGrace);
    expect(stateAt(expiring(end, inGrace), end)).to.deep.equal({ ...inGrace, worksUntil: end });
    expect(stateAt(expiring(end, revokedAndHeld), end)).to.deep.equal(revokedAndHeld);
  });
});

describe('The reminders of an expiry (D72)', () => {
  const EXPIRY = plus(NOON, 30 * DAY);
  it('are 7 days and 1 day before it', () => {
    expect(nextReminder(EXPIRY, NOON)).to.equal(plus(EXPIRY, -7 * DAY));
    expect(nextReminder(EXPIRY, plus(EXPIRY, -7 * DAY))).to.equal(plus(EXPIRY, -DAY));
    expect(nextReminder(EXPIRY, plus(EXPIRY, -DAY))).to.equal(null);
    expect(nextReminder(null, NOON)).to.equal(null);
  });

  it('are those that are left when the expiry is set late', () => {
    expect(nextReminder(plus(NOON, 3 * DAY), NOON)).to.equal(plus(NOON, 2 * DAY));
    expect(nextReminder(plus(NOON, HOUR), NOON)).to.equal(null);
  });

  it('come before the expiry and after the time that is given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 * 24 }), (hours) => {
        const after = plus(EXPIRY, -hours * HOUR);
        const at = nextReminder(EXPIRY, after);
        if (at === null) expect(hours).to.be.at.most(24);
        else expect(at > after && at < EXPIRY).to.equal(true);
      }),
      runs(100),
    );
  });
});

describe('What is due because keys expire (D72)', () => {
  it('is each reminder and each expiry of keys that are not revoked, the first one first', () => {
    const at = (days: number) => plus(NOON, days * DAY);
    const named = (name: string, days: number, remindDays: number | null, state?: KeyState) => ({
      ...key(name, state),
      controls: { ...NO_CONTROLS, expiresAt: at(days) },
      remindAt: remindDays === null ? null : at(remindDays),
    });
    const keys = [
      named('late', 20, 13),
      named('soon', 3, 2),
      key('endless'),
      named('reminded', 1, null),
      named('revoked', 1, 0, inGrace),
    ];
    expect(dueExpiries(keys).map((due) => [due.key.id, due.what, due.at])).to.deep.equal([
      ['reminded', 'expire', at(1)],
      ['soon', 'remind', at(2)],
      ['soon', 'expire', at(3)],
      ['late', 'remind', at(13)],
      ['late', 'expire', at(20)],
    ]);
  });
});
