import { expect } from 'chai';
import {
  type Access,
  accessOf,
  hasDunningEnded,
  needsPayment,
  type Obstacle,
  obstaclesOf,
} from '../../../src/domain/accounts/access.js';
import { SUBSCRIPTION_STATES } from '../../../src/domain/billing/subscription.js';
import { whyNotRetire } from '../../../src/domain/keys/account-keys.js';
import type { SuspensionCause } from '../../../src/domain/keys/suspension.js';
import { whyAccessRefused } from '../../../src/domain/limits/admission.js';
import { DAY, HOUR, plus } from '../../../src/domain/moment.js';
import {
  account,
  issued,
  key,
  keyId,
  NOON,
  openInvoice,
  rotated,
  suspendedBy,
} from '../../support/objects/builders.js';

const invoice = (id: string, days: number) => openInvoice({ id, deadline: plus(NOON, days * DAY) });

describe('The access of an account', () => {
  it('is refused exactly if the gateway refuses an active key, with every obstacle', () => {
    for (const state of SUBSCRIPTION_STATES) {
      for (const causes of [[], ['abuse'], ['payment_failure', 'manual_hold']] as const) {
        const of = account({ state, suspension: suspendedBy(...causes) });
        const isRefused = whyAccessRefused(of.subscription, NOON) !== null;
        expect(accessOf(of, NOON).status === 'refused', `${state} ${causes}`).to.equal(isRefused);
        expect(obstaclesOf(of.subscription).length > 0).to.equal(isRefused);
        expect(obstaclesOf(of.subscription)).to.include.members([...causes]);
      }
    }
  });

  it('is refused after dunning by a payment failure or the state `unpaid`, of a subscription that is not cancelled', () => {
    const ended = (
      state: 'active' | 'unpaid' | 'paused' | 'canceled',
      ...causes: readonly SuspensionCause[]
    ) => hasDunningEnded(account({ state, suspension: suspendedBy(...causes) }).subscription);
    expect(ended('active', 'payment_failure', 'manual_hold')).to.equal(true);
    expect(ended('unpaid')).to.equal(true);
    expect(ended('active', 'abuse', 'manual_hold')).to.equal(false);
    expect(ended('paused')).to.equal(false);
    expect(ended('canceled', 'payment_failure')).to.equal(false);
  });

  it('lists the state before the causes, and a cause of both the subscription and the key once', () => {
    const { subscription } = account({
      state: 'paused',
      suspension: suspendedBy('payment_failure', 'manual_hold'),
    });
    expect(obstaclesOf(subscription, suspendedBy('manual_hold'))).to.deep.equal([
      'paused',
      'payment_failure',
      'manual_hold',
    ]);
  });

  it('is at risk until the earliest deadline while dunning runs (D28)', () => {
    const of = { ...account(), dunning: [invoice('in_1', 9), invoice('in_2', 5)] };
    expect(accessOf(of, NOON)).to.include({ status: 'at_risk', endsAt: plus(NOON, 5 * DAY) });
  });

  it('is at risk while the subscription is past due without a known invoice (D28)', () => {
    const [at, askAt] = [plus(NOON, 6 * DAY), plus(NOON, 5 * DAY)];
    const until = (asked: typeof at | null) =>
      accessOf({ ...account(), pending: [{ event: 'payment_failed', at, askAt: asked }] }, NOON);
    expect(until(null)).to.include({ status: 'at_risk', endsAt: at });
    expect(until(askAt)).to.include({ status: 'at_risk', endsAt: askAt });
  });

  it('is at risk until the pending suspension, once the deadline has passed and the processor is asked (D28)', () => {
    const at = plus(NOON, 6 * DAY);
    const of = {
      ...account(),
      dunning: [invoice('in_1', 5)],
      pending: [{ event: 'payment_failed', at, askAt: null } as const],
    };
    expect(accessOf(of, plus(NOON, 5 * DAY + HOUR))).to.include({ status: 'at_risk', endsAt: at });
  });

  it('shows whether an invoice is open while it is refused', () => {
    const refused = account({ suspension: suspendedBy('payment_failure') });
    expect(accessOf(refused, NOON)).to.include({ hasOpenInvoice: false });
    expect(accessOf({ ...refused, dunning: [invoice('in_1', 5)] }, NOON)).to.include({
      hasOpenInvoice: true,
    });
  });

  it('lists keys with a hold of their own, whatever the causes of the subscription', () => {
    const keys = [key('one', suspendedBy('manual_hold')), key('other')];
    for (const of of [account({ keys }), account({ keys, state: 'paused' })]) {
      expect(accessOf(of, NOON).heldKeys.map(({ id }) => id)).to.deep.equal(['one']);
    }
  });
});

describe('A payment', () => {
  const refused = (hasOpenInvoice: boolean, ...obstacles: readonly Obstacle[]): Access => ({
    ...{ status: 'refused', heldKeys: [], obstacles, hasOpenInvoice, keysAreRevoked: false },
  });

  it('is needed while dunning runs, and if requests are refused for a missing one', () => {
    expect(needsPayment({ status: 'at_risk', heldKeys: [], endsAt: NOON })).to.equal(true);
    for (const obstacle of ['unpaid', 'payment_failure', 'incomplete'] as const)
      expect(needsPayment(refused(false, 'abuse', obstacle)), obstacle).to.equal(true);
    expect(needsPayment(refused(true, 'manual_hold'))).to.equal(true);
  });

  it('is not needed if requests are served, or are refused for other reasons', () => {
    expect(needsPayment({ status: 'served', heldKeys: [] })).to.equal(false);
    for (const obstacle of ['abuse', 'manual_hold', 'paused', 'canceled'] as const)
      expect(needsPayment(refused(false, obstacle)), obstacle).to.equal(false);
  });
});

describe('Retiring a key', () => {
  it('is possible only with an active key issued later (D23)', () => {
    const alone = issued(account(), NOON, 'older');
    expect(whyNotRetire(alone, keyId('older'))).to.deep.equal({ refused: 'no_replacement' });
    const both = rotated(alone, NOON, 'older', 'newer');
    expect(whyNotRetire(both, keyId('older'))).to.equal(null);
    const held = { ...both, subscription: { ...both.subscription, suspension: suspendedBy('manual_hold') } };
    expect(whyNotRetire(held, keyId('older'))).to.deep.equal({ refused: 'no_replacement' });
    expect(whyNotRetire(both, keyId('nobody'))).to.deep.equal({ refused: 'not_found', what: 'key' });
  });
});
