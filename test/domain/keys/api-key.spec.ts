import { expect } from 'chai';
import fc from 'fast-check';
import { decideAt } from '../../../src/domain/accounts/account-due.js';
import { cancelSubscription, strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey, rotateKey, strikeKey } from '../../../src/domain/keys/account-keys.js';
import {
  admittedByKey,
  derivedState,
  endGrace,
  GRACE,
  graceUntil,
  KEY_EVENTS,
  type KeyEvent,
  type KeyState,
  type Revoked,
  standingAfter,
  transition,
} from '../../../src/domain/keys/api-key.js';
import { SCOPES } from '../../../src/domain/keys/scope.js';
import type { CauseEvent } from '../../../src/domain/keys/suspension.js';
import { SUSPENSION_CAUSES, type SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { between, MICROSECOND, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import {
  accepted,
  account,
  act,
  countedState,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  rotated,
  runs,
  standing,
} from '../../support/objects/builders.js';

const ADMITTED = { admitted: true };
const REVOKED = { refused: 'key_revoked' };

const struckAt = (state: KeyState, event: KeyEvent, at = NOON): KeyState =>
  accepted<KeyState>(transition(state, event, at));

const inGrace: Revoked = {
  status: 'revoked',
  cause: 'rotation',
  revokedAt: NOON,
  worksUntil: plus(NOON, 300 * SECOND),
  held: false,
};
const deadAndHeld: Revoked = {
  status: 'revoked',
  cause: 'manual',
  revokedAt: NOON,
  worksUntil: NOON,
  held: true,
};

describe('The table of key states (section 3.1)', () => {
  // Written once more by hand. Of a revoked key: its cause, the seconds it works on, and its mark.
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
    revoked        | manual 0       | manual 0       | manual 0 held       | rotation 60  | manual 0 held`;

  const told = (answer: ReturnType<typeof transition>): string => {
    if (isRefusal(answer)) return answer.refused;
    if (answer.status === 'active') return 'active';
    if (answer.status === 'suspended') return answer.causes.map((cause) => SHORT[cause]).join('+');
    const seconds = between(answer.revokedAt, answer.worksUntil) / SECOND;
    return `${answer.cause} ${seconds}${answer.held ? ' held' : ''}`;
  };
  const SHORT = { payment_failure: 'payment', abuse: 'abuse', manual_hold: 'hold' } as const;

  const found: Readonly<Record<string, KeyState>> = {
    active: standing(),
    payment: standing('payment_failure'),
    'payment+abuse+hold': standing(...SUSPENSION_CAUSES),
    'rotation 300': inGrace,
    'manual 0 held': deadAndHeld,
  };

  const [header = [], ...rows] = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('has a row for every event (section 3.1)', () => {
    expect(rows.map(([event]) => event)).to.deep.equal([...KEY_EVENTS]);
  });

  for (const [event, ...outcomes] of rows) {
    outcomes.forEach((outcome, column) => {
      const before = header[column + 1] ?? '';
      it(`${before} + ${event} → ${outcome} (section 3.1)`, () => {
        const state = found[before];
        if (state === undefined) throw new Error(`no such state: ${before}`);
        expect(told(state)).to.equal(before);
        expect(told(transition(state, event as KeyEvent, plus(NOON, MINUTE)))).to.equal(outcome);
      });
    });
  }
});

describe('Section 3.1, row by row', () => {
  const oneKey = () => issued(account(), NOON, 'k1');
  const answerOf = (from: ReturnType<typeof oneKey>, at = NOON) =>
    admittedByKey(countedState(from, 'k1'), at);

  it('“(new key) | Key creation by the account holder | Plan key allowance not exceeded | active”: works at once, with every scope of the day', () => {
    const { next } = accepted(issueKey(account(), freshKey('k1'), PLANS.pro, act()));
    expect(answerOf(next)).to.deep.equal(ADMITTED);
    expect(keyNamed(next, 'k1').scopes).to.deep.equal(['events.read', 'markets.read']);
  });

  it('“active | Payment failure after dunning | suspended”: requests are refused for `payment_failure`', () => {
    const { next } = strikeSubscription(oneKey(), 'payment_failed', act());
    expect(answerOf(next)).to.deep.equal({ refused: 'key_suspended', causes: ['payment_failure'] });
  });

  it('“active | Abuse-detection trip | suspended”: requests are refused for `abuse`', () => {
    const { next } = strikeSubscription(oneKey(), 'abuse_detected', act());
    expect(answerOf(next)).to.deep.equal({ refused: 'key_suspended', causes: ['abuse'] });
  });

  it('“active | Manual support hold | suspended”: requests are refused for `manual_hold`, on the key as on the subscription', () => {
    const refusal = { refused: 'key_suspended', causes: ['manual_hold'] };
    expect(answerOf(accepted(strikeKey(oneKey(), keyId('k1'), 'held', act())).next)).to.deep.equal(refusal);
    expect(answerOf(strikeSubscription(oneKey(), 'held', act()).next)).to.deep.equal(refusal);
  });

  it('“suspended | Outstanding invoice paid, or the issue resolved | active”: the same key works again, by itself', () => {
    const ways = [
      ['payment_failed', 'invoice_paid'],
      ['abuse_detected', 'abuse_cleared'],
      ['held', 'released'],
    ] as const;
    for (const [place, lift] of ways) {
      const suspended = strikeSubscription(oneKey(), place, act()).next;
      expect(answerOf(suspended)).to.have.property('refused', 'key_suspended');
      expect(answerOf(strikeSubscription(suspended, lift, act()).next)).to.deep.equal(ADMITTED);
    }
  });

  it('“active | Customer rotation | revoked”: the old key works for 5 minutes after revocation, then no more', () => {
    const both = rotated(oneKey(), NOON, 'k1', 'k2');
    const { next } = accepted(revokeKey(both, keyId('k1'), 'rotation', act()));
    expect(countedState(next, 'k1').status).to.equal('revoked');
    expect(answerOf(next, plus(NOON, 5 * MINUTE - MICROSECOND))).to.deep.equal(ADMITTED);
    expect(answerOf(next, plus(NOON, 5 * MINUTE))).to.deep.equal(REVOKED);
  });

  it('“active | Customer cancels subscription | revoked”: requests are refused at once', () => {
    const { next } = cancelSubscription(oneKey(), act());
    expect(answerOf(next)).to.deep.equal(REVOKED);
  });

  it('“active | Manual revocation by customer or company | revoked”: requests are refused at once', () => {
    const { next } = accepted(revokeKey(oneKey(), keyId('k1'), 'manual', act()));
    expect(answerOf(next)).to.deep.equal(REVOKED);
  });

  it('“revoked | none | Permanent”: no event brings a key back, and a new key can be generated', () => {
    const dead = accepted(revokeKey(oneKey(), keyId('k1'), 'manual', act())).next;
    for (const event of KEY_EVENTS) {
      const state = transition(keyNamed(dead, 'k1').state, event, plus(NOON, SECOND));
      expect(isRefusal(state) || state.status === 'revoked', event).to.equal(true);
    }
    expect(rotateKey(dead, keyId('k1'), freshKey('k2'), act())).to.deep.equal(REVOKED);
    expect(isRefusal(issueKey(dead, freshKey('k2'), PLANS.pro, act()))).to.equal(false);
  });

  it('“Transitions of a suspended key to revoked”: allowed, and without a grace window (D22)', () => {
    for (const event of ['rotated', 'cancelled', 'revoked'] as const) {
      const state = struckAt(standing('payment_failure'), event);
      expect(admittedByKey(state, NOON), event).to.deep.equal(REVOKED);
    }
  });
});

describe('The grace window of a rotated key (D22)', () => {
  const end = plus(NOON, 300 * SECOND);
  const retired = struckAt(standing(), 'rotated');

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

  it('is told while it runs and not after (D30)', () => {
    expect(graceUntil(retired, plus(end, -MICROSECOND))).to.equal(end);
    expect(graceUntil(retired, end)).to.equal(null);
    expect(graceUntil(standing(), NOON)).to.equal(null);
    expect(graceUntil(standing('abuse'), NOON)).to.equal(null);
  });

  for (const event of ['payment_failed', 'abuse_detected', 'held', 'cancelled', 'revoked'] as const) {
    it(`ends at once on ${event}, and the key stays revoked by rotation (D22)`, () => {
      const at = plus(NOON, MINUTE);
      const state = struckAt(retired, event, at);
      expect(admittedByKey(state, at)).to.deep.equal(REVOKED);
      expect(state).to.deep.equal({ ...inGrace, worksUntil: at });
    });
  }

  for (const event of ['invoice_paid', 'abuse_cleared', 'released'] as const) {
    it(`goes on after ${event} (D22)`, () => {
      expect(struckAt(retired, event, plus(NOON, MINUTE))).to.deep.equal(inGrace);
    });
  }

  it('cannot be opened again by a second rotation (D22)', () => {
    expect(transition(retired, 'rotated', plus(NOON, MINUTE))).to.deep.equal(REVOKED);
    expect(transition(retired, 'rotated', plus(end, MINUTE))).to.deep.equal(REVOKED);
  });

  it('is never lengthened by being ended late (D22)', () => {
    expect(endGrace(inGrace, plus(end, -MICROSECOND)).worksUntil).to.equal(plus(end, -MICROSECOND));
    expect(endGrace(inGrace, end)).to.deep.equal(inGrace);
    expect(endGrace(inGrace, plus(end, MINUTE))).to.deep.equal(inGrace);
  });

  it('ends at once when a cause strikes the subscription above it (D22)', () => {
    const both = rotated(issued(account(), NOON, 'k1'), NOON, 'k1', 'k2');
    const retiredAccount = accepted(revokeKey(both, keyId('k1'), 'rotation', act())).next;
    for (const event of ['payment_failed', 'abuse_detected', 'held'] as const) {
      const at = plus(NOON, MINUTE);
      const { next } = accepted(
        decideAt(retiredAccount, at, (now) => strikeSubscription(now, event, act(at))),
      );
      expect(admittedByKey(countedState(next, 'k1'), at), event).to.deep.equal(REVOKED);
    }
    for (const event of ['invoice_paid', 'abuse_cleared', 'released'] as const) {
      const { next } = strikeSubscription(retiredAccount, event, act(plus(NOON, MINUTE)));
      expect(keyNamed(next, 'k1').state, event).to.deep.equal(inGrace);
    }
  });

  it('is not opened by a cancellation, a manual revocation or the rotation of a suspended key (D22)', () => {
    const nothing = [
      struckAt(standing(), 'cancelled'),
      struckAt(standing(), 'revoked'),
      ...SUSPENSION_CAUSES.map((cause) => struckAt(standing(cause), 'rotated')),
    ];
    for (const state of nothing) expect(graceUntil(state, NOON)).to.equal(null);
  });
});

describe('The causes of a suspension (D20)', () => {
  it('stand side by side: paying an invoice does not lift a manual hold (D20)', () => {
    const held = struckAt(struckAt(standing(), 'held'), 'payment_failed');
    expect(held).to.deep.equal(standing('payment_failure', 'manual_hold'));
    const paid = struckAt(held, 'invoice_paid');
    expect(paid).to.deep.equal(standing('manual_hold'));
    expect(struckAt(paid, 'released')).to.deep.equal(standing());
  });

  it('count once however often they are placed (D20)', () => {
    const twice = struckAt(struckAt(standing(), 'held'), 'held');
    expect(struckAt(twice, 'released')).to.deep.equal(standing());
  });

  it('of a key are its own and those of its subscription together, told in one order (D20)', () => {
    expect(derivedState(standing('manual_hold'), standing('payment_failure', 'manual_hold'))).to.deep.equal(
      standing('payment_failure', 'manual_hold'),
    );
    expect(derivedState(standing(), standing('abuse'))).to.deep.equal(standing('abuse'));
    expect(derivedState(standing(), standing())).to.deep.equal(standing());
  });

  it('never bring a revoked key back, nor refuse it as suspended (D20, D22)', () => {
    expect(derivedState(inGrace, standing('abuse'))).to.deep.equal(inGrace);
    expect(derivedState(deadAndHeld, standing())).to.deep.equal(deadAndHeld);
  });

  it('at one level are not touched by a release at the other (D20)', () => {
    const both = strikeSubscription(
      accepted(strikeKey(issued(account(), NOON, 'k1'), keyId('k1'), 'held', act())).next,
      'held',
      act(),
    ).next;
    const keyReleased = accepted(strikeKey(both, keyId('k1'), 'released', act())).next;
    expect(countedState(keyReleased, 'k1')).to.deep.equal(standing('manual_hold'));
    const subscriptionReleased = strikeSubscription(both, 'released', act()).next;
    expect(countedState(subscriptionReleased, 'k1')).to.deep.equal(standing('manual_hold'));
    const bothReleased = strikeSubscription(keyReleased, 'released', act()).next;
    expect(countedState(bothReleased, 'k1')).to.deep.equal(standing());
  });

  it('are, after any events, those placed and not lifted since (D20)', () => {
    const places = {
      payment_failed: 'payment_failure',
      abuse_detected: 'abuse',
      held: 'manual_hold',
    } as const;
    const lifts = {
      invoice_paid: 'payment_failure',
      abuse_cleared: 'abuse',
      released: 'manual_hold',
    } as const;
    const events = fc.array(
      fc.constantFrom<CauseEvent>(
        'payment_failed',
        'invoice_paid',
        'abuse_detected',
        'abuse_cleared',
        'held',
        'released',
      ),
    );
    fc.assert(
      fc.property(events, (some) => {
        const expected = new Set<SuspensionCause>();
        let state = standing();
        for (const event of some) {
          if (event in places) expected.add(places[event as keyof typeof places]);
          else expected.delete(lifts[event as keyof typeof lifts]);
          state = standingAfter(state, event, NOON);
        }
        expect(state).to.deep.equal(standing(...expected));
      }),
      runs(200),
    );
  });
});

describe('The mark of a key revoked under a hold (D21)', () => {
  it('is left by a hold of its own, whatever else stood beside it (D21)', () => {
    for (const event of ['rotated', 'cancelled', 'revoked'] as const) {
      expect(struckAt(standing('manual_hold'), event), event).to.have.property('held', true);
      expect(struckAt(standing('abuse', 'manual_hold'), event), event).to.have.property('held', true);
      expect(struckAt(standing('abuse', 'payment_failure'), event), event).to.have.property('held', false);
      expect(struckAt(standing(), event), event).to.have.property('held', false);
    }
  });

  it('is cleared by a release, which never lifts the revocation (D21)', () => {
    expect(struckAt(deadAndHeld, 'released')).to.deep.equal({ ...deadAndHeld, held: false });
  });

  it('is not set by a hold that comes after the revocation (D21)', () => {
    expect(struckAt({ ...deadAndHeld, held: false }, 'held')).to.have.property('held', false);
  });
});

describe('The scopes of a key (D40)', () => {
  it('are written on it when it is issued, apart from the catalogue (D40)', () => {
    const from = issued(account(), NOON, 'k1');
    expect(keyNamed(from, 'k1').scopes).to.deep.equal([...SCOPES]);
    expect(keyNamed(from, 'k1').scopes).to.not.equal(SCOPES);
    expect(keyNamed(rotated(from, NOON, 'k1', 'k2'), 'k2').scopes).to.deep.equal([...SCOPES]);
  });
});
