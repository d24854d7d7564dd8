import { expect } from 'chai';
import { type AccountId, openAccount } from '../../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../../src/domain/accounts/email-address.js';
import { cancelSubscription, strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { NO_PAYMENT_FACTS } from '../../../src/domain/billing/payment-event.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { issueKey, revokeKey, rotateKey, strikeKey } from '../../../src/domain/keys/account-keys.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  act,
  freshKey,
  issued,
  keyId,
  NOON,
  overlapping,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');

describe('An account that is opened (D27, D30)', () => {
  it('has an active subscription on its plan, and no keys (D27)', () => {
    const { next, entries } = openAccount(
      {
        id: 'a1' as AccountId,
        subscriptionId: 'b1' as SubscriptionId,
        email: 'ada@example.com' as EmailAddress,
        plan: 'builder',
        processorCustomerId: 'cus_1',
      },
      act(NOON, 'operator'),
    );
    expect(next).to.deep.equal({
      id: 'a1',
      email: 'ada@example.com',
      processorCustomerId: 'cus_1',
      openedAt: NOON,
      openedPlan: 'builder',
      subscription: {
        id: 'b1',
        plan: 'builder',
        state: 'active',
        standing: { status: 'active' },
        watch: { isOn: true, since: NOON },
      },
      keys: [],
      payments: NO_PAYMENT_FACTS,
      dunning: [],
      pending: [],
    });
    expect(entries).to.deep.equal([
      { event: 'opened', key: null, actor: 'operator', reason: null, at: NOON },
    ]);
  });
});

describe('A rotation (contract section 5.4, D23)', () => {
  it('issues the successor beside the key: both work (D23)', () => {
    const both = overlapping();
    expect(both.keys.map((key) => key.id)).to.deep.equal(['k1', 's1']);
    expect(keyNamed(both, 's1')).to.include({ predecessor: k1, overlapEndsAt: DUE, issuedAt: NOON });
    expect(keyNamed(both, 'k1')).to.include({ predecessor: null, overlapEndsAt: null });
    for (const name of ['k1', 's1']) expect(admits(both, name, NOON), name).to.equal(true);
  });

  it('is ended by the customer’s revocation, from which the grace window runs (contract section 5.4)', () => {
    const at = plus(NOON, HOUR);
    const { next } = accepted(revokeKey(overlapping(), k1, 'rotation', act(at)));
    expect(admits(next, 'k1', plus(at, 5 * MINUTE - MICROSECOND))).to.equal(true);
    expect(admits(next, 'k1', plus(at, 5 * MINUTE))).to.equal(false);
    expect(admits(next, 's1', plus(at, 5 * MINUTE))).to.equal(true);
    expect(nextDue(next)).to.equal(null);
  });

  it('needs a replacement when the old key is revoked as rotated (D23)', () => {
    const one = issued(account(), NOON, 'k1');
    expect(revokeKey(one, k1, 'rotation', act())).to.deep.equal({ refused: 'no_replacement' });
  });

  it('takes any active key issued later as replacement: the contract’s own way (contract section 5.4, D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const { next } = accepted(revokeKey(two, k1, 'rotation', act()));
    expect(admits(next, 'k1', NOON)).to.equal(true);
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', cause: 'rotation' });
  });

  it('takes no key issued before it as replacement (D23)', () => {
    const two = issued(account(), NOON, 'k0', 'k1');
    expect(revokeKey(two, k1, 'rotation', act())).to.deep.equal({ refused: 'no_replacement' });
  });

  it('takes no suspended or revoked key as replacement (D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const held = accepted(strikeKey(two, keyId('k2'), 'held', act())).next;
    expect(revokeKey(held, k1, 'rotation', act())).to.deep.equal({ refused: 'no_replacement' });
    const revoked = accepted(revokeKey(two, keyId('k2'), 'manual', act())).next;
    expect(revokeKey(revoked, k1, 'rotation', act())).to.deep.equal({ refused: 'no_replacement' });
    const third = issued(revoked, NOON, 'k3');
    expect('refused' in revokeKey(third, k1, 'rotation', act())).to.equal(false);
  });

  it('is not ended while a cause stands on the subscription: no key is active (D21, D23)', () => {
    const struck = strikeSubscription(overlapping(), 'payment_failed', act()).next;
    expect(revokeKey(struck, k1, 'rotation', act())).to.deep.equal({ refused: 'no_replacement' });
    const { next } = accepted(revokeKey(struck, k1, 'manual', act()));
    expect(admits(next, 'k1', NOON)).to.equal(false);
  });

  it('of a held key gives no grace (D22)', () => {
    const held = accepted(strikeKey(overlapping(), k1, 'held', act())).next;
    const { next } = accepted(revokeKey(held, k1, 'rotation', act()));
    expect(admits(next, 'k1', NOON)).to.equal(false);
    expect(keyNamed(next, 'k1').state).to.include({ cause: 'rotation', held: true });
  });

  it('cannot be said of a key that is revoked already (contract section 3.1)', () => {
    const { next } = accepted(revokeKey(overlapping(), k1, 'rotation', act()));
    expect(revokeKey(next, k1, 'rotation', act())).to.deep.equal({ refused: 'key_revoked' });
  });

  it('of a key that does not exist is refused as not found', () => {
    const none = { refused: 'not_found', what: 'key' };
    expect(revokeKey(overlapping(), keyId('k9'), 'rotation', act())).to.deep.equal(none);
    expect(revokeKey(overlapping(), keyId('k9'), 'manual', act())).to.deep.equal(none);
    expect(strikeKey(overlapping(), keyId('k9'), 'held', act())).to.deep.equal(none);
    expect(keyOf(overlapping(), keyId('k9'))).to.deep.equal(none);
  });
});

describe('The end of an overlap (D23)', () => {
  it('is due 24 hours after the rotation (D23)', () => {
    expect(OVERLAP).to.equal(24 * HOUR);
    expect(nextDue(overlapping())).to.equal(DUE);
    expect(nextDue(issued(account(), NOON, 'k1'))).to.equal(null);
  });

  it('retires the older key at the due moment, and not a microsecond before (D23)', () => {
    const both = overlapping();
    expect(settled(both, plus(DUE, -MICROSECOND))).to.deep.equal({ next: both, entries: [] });
    const { next, entries } = settled(both, DUE);
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

  it('is dated as it fell due, however late it runs and in whatever steps (D23)', () => {
    const both = overlapping();
    const once = settled(both, plus(DUE, 30 * DAY));
    for (const steps of [[DUE], [plus(DUE, -1), plus(DUE, 1)], [NOON, plus(DUE, HOUR), plus(DUE, HOUR)]]) {
      let [current, entries]: [Account, readonly AuditEntry[]] = [both, []];
      for (const step of [...steps, plus(DUE, 30 * DAY)]) {
        const change = settled(current, step);
        current = change.next;
        entries = [...entries, ...change.entries];
      }
      expect({ next: current, entries }).to.deep.equal(once);
    }
  });

  it('leaves no grace when it runs more than 300 s late: the window ran from the due moment (D22, D23)', () => {
    const { next } = settled(overlapping(), plus(DUE, HOUR));
    expect(admits(next, 'k1', plus(DUE, 300 * SECOND - MICROSECOND))).to.equal(true);
    expect(admits(next, 'k1', plus(DUE, 300 * SECOND))).to.equal(false);
  });

  it('comes for several keys in the order in which they fall due (D23)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const later = rotated(two, plus(NOON, HOUR), 'k1', 's1');
    const both = rotated(later, NOON, 'k2', 's2');
    expect(nextDue(both)).to.equal(DUE);
    const { entries } = settled(both, plus(DUE, HOUR));
    expect(entries.map(({ key, at }) => [key, at])).to.deep.equal([
      ['k2', DUE],
      ['k1', plus(DUE, HOUR)],
    ]);
    expect(settled(both, plus(DUE, HOUR - 1)).entries).to.have.length(1);
  });

  it('retires nothing when the successor was revoked first (D23)', () => {
    const { next } = accepted(revokeKey(overlapping(), s1, 'manual', act(plus(NOON, HOUR))));
    expect(nextDue(next)).to.equal(null);
    expect(settled(next, plus(DUE, DAY))).to.deep.equal({ next, entries: [] });
    expect(admits(next, 'k1', plus(DUE, DAY))).to.equal(true);
  });

  it('retires nothing when the older key was revoked by hand (D23)', () => {
    const { next } = accepted(revokeKey(overlapping(), k1, 'manual', act(plus(NOON, HOUR))));
    expect(settled(next, plus(DUE, DAY))).to.deep.equal({ next, entries: [] });
  });

  it('retires nothing while the successor is not active then; the overlap stays open (D23)', () => {
    const struck = [
      accepted(strikeKey(overlapping(), s1, 'held', act(plus(NOON, HOUR)))).next,
      strikeSubscription(overlapping(), 'payment_failed', act(plus(NOON, HOUR))).next,
    ];
    for (const from of struck) {
      const { next, entries } = settled(from, DUE);
      expect(entries).to.deep.equal([]);
      expect(keyNamed(next, 'k1').state.status).to.equal('active');
      expect(nextDue(next)).to.equal(null);
      const lifted = strikeSubscription(
        accepted(strikeKey(next, s1, 'released', act(plus(DUE, HOUR)))).next,
        'invoice_paid',
        act(plus(DUE, HOUR)),
      ).next;
      expect(settled(lifted, plus(DUE, 9 * DAY)).entries).to.deep.equal([]);
      expect(rotateKey(lifted, k1, freshKey('s2'), act(plus(DUE, DAY)))).to.deep.equal({
        refused: 'rotation_open',
      });
      expect('refused' in revokeKey(lifted, k1, 'rotation', act(plus(DUE, DAY)))).to.equal(false);
    }
  });

  it('revokes a held older key without grace, and its place stays taken (D21, D22, D23)', () => {
    const held = accepted(strikeKey(overlapping(), k1, 'held', act(plus(NOON, HOUR)))).next;
    const { next } = settled(held, DUE);
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', worksUntil: DUE, held: true });
    expect(issueKey(next, freshKey('k2'), PLANS.free, act(DUE))).to.have.property(
      'refused',
      'allowance_exceeded',
    );
  });
});

describe('A decision at a moment', () => {
  const holdAt = (at: Moment) => (current: Account) => strikeKey(current, s1, 'held', act(at, 'operator'));

  it('starts from what fell due until then, and records that first (D23, D25)', () => {
    const at = plus(DUE, HOUR);
    const change = accepted(decideAt(overlapping(), at, holdAt(at)));
    expect(change.entries.map(({ event, key, at: when }) => [event, key, when])).to.deep.equal([
      ['rotated', 'k1', DUE],
      ['held', 's1', at],
    ]);
    expect(keyNamed(change.next, 'k1').state.status).to.equal('revoked');
    expect(countedState(change.next, 's1')).to.deep.equal(standing('manual_hold'));
  });

  it('sees nothing that falls due after it (D23)', () => {
    const at = plus(DUE, -MICROSECOND);
    const change = accepted(decideAt(overlapping(), at, holdAt(at)));
    expect(change.entries).to.have.length(1);
    expect(keyNamed(change.next, 'k1').state.status).to.equal('active');
  });

  it('that refuses says so and changes nothing', () => {
    const refused: Refusal = refuse('no_replacement');
    expect(decideAt(overlapping(), plus(DUE, HOUR), () => refused)).to.equal(refused);
  });

  it('never changes the account it was given', () => {
    const both = overlapping();
    const before = structuredClone(both);
    const at = plus(DUE, HOUR);
    decideAt(both, at, (current) => strikeSubscription(current, 'held', act(at)));
    decideAt(both, at, (current) => cancelSubscription(current, act(at)));
    decideAt(both, at, holdAt(at));
    expect(both).to.deep.equal(before);
  });
});

describe('A strike on the subscription (D20, D21)', () => {
  it('suspends all its keys at once, and its lifting brings back all that have no cause of their own (D21)', () => {
    const three = issued(account(), NOON, 'k1', 'k2', 'k3');
    const held = accepted(strikeKey(three, keyId('k2'), 'held', act())).next;
    const struck = strikeSubscription(held, 'abuse_detected', act()).next;
    for (const name of ['k1', 'k2', 'k3']) expect(admits(struck, name, NOON), name).to.equal(false);
    const lifted = strikeSubscription(struck, 'abuse_cleared', act()).next;
    expect(['k1', 'k2', 'k3'].filter((name) => admits(lifted, name, NOON))).to.deep.equal(['k1', 'k3']);
  });

  it('writes nothing on the keys that are not revoked: their state is derived (D20)', () => {
    const three = issued(account(), NOON, 'k1', 'k2', 'k3');
    expect(strikeSubscription(three, 'abuse_detected', act()).next.keys).to.deep.equal(three.keys);
  });

  it('strikes a key that is issued after it was lifted and placed again (D21)', () => {
    const lifted = strikeSubscription(
      strikeSubscription(account(), 'held', act()).next,
      'released',
      act(),
    ).next;
    const again = strikeSubscription(issued(lifted, NOON, 'k1'), 'held', act()).next;
    expect(admits(again, 'k1', NOON)).to.equal(false);
  });
});

describe('A cancellation (contract section 3.1, D22)', () => {
  it('revokes every key, active or suspended, at once and for good (contract section 3.1, D22)', () => {
    const two = issued(account(), NOON, 'k1', 'k2');
    const held = accepted(strikeKey(two, keyId('k2'), 'held', act())).next;
    const { next } = cancelSubscription(held, act(plus(NOON, HOUR)));
    expect(next.subscription.state).to.equal('canceled');
    expect(keyNamed(next, 'k1').state).to.include({ status: 'revoked', cause: 'cancellation', held: false });
    expect(keyNamed(next, 'k2').state).to.include({ status: 'revoked', cause: 'cancellation', held: true });
    for (const name of ['k1', 'k2']) expect(admits(next, name, plus(NOON, HOUR)), name).to.equal(false);
  });

  it('ends a running grace and leaves nothing due (D22, D23)', () => {
    const retired = accepted(revokeKey(overlapping(), k1, 'rotation', act())).next;
    const at = plus(NOON, MINUTE);
    const { next } = cancelSubscription(retired, act(at));
    expect(admits(next, 'k1', at)).to.equal(false);
    expect(keyNamed(next, 'k1').state).to.include({ cause: 'rotation', revokedAt: NOON, worksUntil: at });
    expect(nextDue(cancelSubscription(overlapping(), act(at)).next)).to.equal(null);
  });
});

describe('Who decided by a list of keys', () => {
  const outdated = refuse('changed_meanwhile');

  it('may go on while the newest key is the newest they have seen, whatever became of it', () => {
    const one = issued(account(), NOON, 'k1');
    expect(whyOutdated(one, k1)).to.equal(null);
    expect(whyOutdated(issued(one, NOON, 'k2'), keyId('k2'))).to.equal(null);
    expect(whyOutdated(accepted(revokeKey(one, k1, 'manual', act())).next, k1)).to.equal(null);
    expect(whyOutdated(accepted(strikeKey(one, k1, 'held', act())).next, k1)).to.equal(null);
  });

  it('is refused once there is a newer one, issued or rotated to', () => {
    const one = issued(account(), NOON, 'k1');
    expect(whyOutdated(issued(one, NOON, 'k2'), k1)).to.deep.equal(outdated);
    expect(whyOutdated(overlapping(), k1)).to.deep.equal(outdated);
    expect(whyOutdated(overlapping(), s1)).to.equal(null);
  });

  it('may have seen none where there is none, and nothing else', () => {
    expect(whyOutdated(account(), null)).to.equal(null);
    expect(whyOutdated(account(), k1)).to.deep.equal(outdated);
    expect(whyOutdated(issued(account(), NOON, 'k1'), null)).to.deep.equal(outdated);
  });
});

describe('The audit log of an account (D25)', () => {
  const support = { actor: 'operator:kim', reason: 'ticket 12', at: plus(NOON, MINUTE) };

  it('has of every act its actor, reason and time, and the key it struck (D25)', () => {
    const both = overlapping();
    // biome-ignore format: a table is read by its columns
    const acts = [
      [issueKey(account(), freshKey('k1'), PLANS.pro, support),                'issued',         'k1'],
      [rotateKey(issued(account(), NOON, 'k1'), k1, freshKey('s1'), support),  'issued',         's1'],
      [revokeKey(both, k1, 'rotation', support),                               'rotated',        'k1'],
      [revokeKey(both, k1, 'manual', support),                                 'revoked',        'k1'],
      [strikeKey(both, k1, 'held', support),                                   'held',           'k1'],
      [strikeKey(both, k1, 'released', support),                               'released',       'k1'],
      [strikeSubscription(both, 'payment_failed', support),                    'payment_failed', null],
      [strikeSubscription(both, 'invoice_paid', support),                      'invoice_paid',   null],
      [strikeSubscription(both, 'abuse_detected', support),                    'abuse_detected', null],
      [strikeSubscription(both, 'abuse_cleared', support),                     'abuse_cleared',  null],
      [strikeSubscription(both, 'held', support),                              'held',           null],
      [strikeSubscription(both, 'released', support),                          'released',       null],
      [cancelSubscription(both, support),                                      'cancelled',      null],
    ] as const;
    for (const [change, event, key] of acts) {
      expect(accepted(change).entries, event).to.deep.equal([{ ...support, event, key }]);
    }
  });
});
