import { expect } from 'chai';
import fc from 'fast-check';
import { strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { strikeKey } from '../../../src/domain/keys/account-keys.js';
import { derivedState, standingAfter } from '../../../src/domain/keys/api-key.js';
import type { CauseEvent, SuspensionCause } from '../../../src/domain/keys/suspension.js';
import {
  accepted,
  account,
  act,
  countedState,
  issued,
  keyId,
  NOON,
  runs,
  standing,
} from '../../support/objects/builders.js';
import { deadAndHeld, inGrace, struckAt } from '../../support/objects/key-states.js';

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
    const sources = {
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
          if (event in sources) expected.add(sources[event as keyof typeof sources]);
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
