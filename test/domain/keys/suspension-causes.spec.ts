import { expect } from 'chai';
import fc from 'fast-check';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { applyOperatorEvent } from '../../../src/domain/keys/account-keys.js';
import { derivedState, suspensionAfter } from '../../../src/domain/keys/api-key.js';
import type { CauseEvent, SuspensionCause } from '../../../src/domain/keys/suspension.js';
import {
  accepted,
  account,
  auditContext,
  countedState,
  issued,
  keyId,
  NOON,
  runs,
  suspendedBy,
} from '../../support/objects/builders.js';
import { inGrace, revokedAndHeld, stateAfter } from '../../support/objects/key-states.js';

describe('The causes of a suspension (D20)', () => {
  it('are independent: paying an invoice does not end a manual hold (D20)', () => {
    const held = stateAfter(stateAfter(suspendedBy(), 'held'), 'payment_failed');
    expect(held).to.deep.equal(suspendedBy('payment_failure', 'manual_hold'));
    const paid = stateAfter(held, 'invoice_paid');
    expect(paid).to.deep.equal(suspendedBy('manual_hold'));
    expect(stateAfter(paid, 'released')).to.deep.equal(suspendedBy());
  });

  it('count once, however often they start (D20)', () => {
    const twice = stateAfter(stateAfter(suspendedBy(), 'held'), 'held');
    expect(stateAfter(twice, 'released')).to.deep.equal(suspendedBy());
  });

  it('of a key are its own and those of its subscription together, in one order (D20)', () => {
    expect(
      derivedState(suspendedBy('manual_hold'), suspendedBy('payment_failure', 'manual_hold')),
    ).to.deep.equal(suspendedBy('payment_failure', 'manual_hold'));
    expect(derivedState(suspendedBy(), suspendedBy('abuse'))).to.deep.equal(suspendedBy('abuse'));
    expect(derivedState(suspendedBy(), suspendedBy())).to.deep.equal(suspendedBy());
  });

  it('never restore a revoked key, nor refuse it as suspended (D20, D22)', () => {
    expect(derivedState(inGrace, suspendedBy('abuse'))).to.deep.equal(inGrace);
    expect(derivedState(revokedAndHeld, suspendedBy())).to.deep.equal(revokedAndHeld);
  });

  it('of one level are not changed by a release at the other (D20)', () => {
    const both = applyToSubscription(
      accepted(applyOperatorEvent(issued(account(), NOON, 'k1'), keyId('k1'), 'held', auditContext())).next,
      'held',
      auditContext(),
    ).next;
    const keyReleased = accepted(applyOperatorEvent(both, keyId('k1'), 'released', auditContext())).next;
    expect(countedState(keyReleased, 'k1')).to.deep.equal(suspendedBy('manual_hold'));
    const subscriptionReleased = applyToSubscription(both, 'released', auditContext()).next;
    expect(countedState(subscriptionReleased, 'k1')).to.deep.equal(suspendedBy('manual_hold'));
    const bothReleased = applyToSubscription(keyReleased, 'released', auditContext()).next;
    expect(countedState(bothReleased, 'k1')).to.deep.equal(suspendedBy());
  });

  it('are, after any events, those that started and have not ended since (D20)', () => {
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
        let state = suspendedBy();
        for (const event of some) {
          if (event in sources) expected.add(sources[event as keyof typeof sources]);
          else expected.delete(lifts[event as keyof typeof lifts]);
          state = suspensionAfter(state, event, NOON);
        }
        expect(state).to.deep.equal(suspendedBy(...expected));
      }),
      runs(200),
    );
  });
});

describe('The mark of a key revoked under a hold (D21)', () => {
  it('is set by a hold of its own, whatever other causes there were (D21)', () => {
    for (const event of ['rotated', 'cancelled', 'revoked'] as const) {
      expect(stateAfter(suspendedBy('manual_hold'), event), event).to.have.property('held', true);
      expect(stateAfter(suspendedBy('abuse', 'manual_hold'), event), event).to.have.property('held', true);
      expect(stateAfter(suspendedBy('abuse', 'payment_failure'), event), event).to.have.property(
        'held',
        false,
      );
      expect(stateAfter(suspendedBy(), event), event).to.have.property('held', false);
    }
  });

  it('is cleared by a release, which never ends the revocation (D21)', () => {
    expect(stateAfter(revokedAndHeld, 'released')).to.deep.equal({ ...revokedAndHeld, held: false });
  });

  it('is not set by a hold that comes after the revocation (D21)', () => {
    expect(stateAfter({ ...revokedAndHeld, held: false }, 'held')).to.have.property('held', false);
  });
});
