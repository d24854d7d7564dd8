import { expect } from 'chai';
import { accountActions, keyActions } from '../../../src/domain/accounts/operator-actions.js';
import type { KeyState } from '../../../src/domain/keys/api-key.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { account, key, NOON, suspendedBy } from '../../support/objects/builders.js';

const revoked = (worksUntil = NOON, held = false): KeyState => ({
  status: 'revoked',
  cause: 'rotation',
  revokedAt: NOON,
  worksUntil,
  held,
});

describe('The actions of an operator', () => {
  // biome-ignore format: a table is read by its columns
  const onAccounts = [
    ['without a cause',         suspendedBy(),                       ['hold', 'stop-watching', 'sign-out', 'delete']],
    ['on hold',                   suspendedBy('manual_hold'),          ['release', 'stop-watching', 'sign-out', 'delete']],
    ['with abuse',                   suspendedBy('abuse'),                ['hold', 'lift-abuse', 'stop-watching', 'sign-out', 'delete']],
    ['with failed payments',              suspendedBy('payment_failure'),      ['hold', 'stop-watching', 'sign-out', 'delete']],
    ['with abuse and on hold',       suspendedBy('abuse', 'manual_hold'), ['release', 'lift-abuse', 'stop-watching', 'sign-out', 'delete']],
  ] as const;
  for (const [title, suspension, actions] of onAccounts) {
    it(`on an account ${title} are ${actions.join(', ')} (D20, D21)`, () => {
      expect(accountActions(account({ suspension }), NOON)).to.deep.equal(actions);
    });
  }

  it('on an account that is not monitored include only turning monitoring on', () => {
    const { subscription, ...rest } = account();
    const unmonitored = {
      ...rest,
      subscription: { ...subscription, monitoring: { isOn: false, since: NOON } },
    };
    expect(accountActions(unmonitored, NOON)).to.deep.equal(['hold', 'watch', 'sign-out', 'delete']);
  });

  const graceEnd = plus(NOON, 5 * MINUTE);
  // biome-ignore format: a table is read by its columns
  const onKeys = [
    ['active',                        suspendedBy(),              NOON,                       ['hold', 'revoke']],
    ['held',                          suspendedBy('manual_hold'), NOON,                       ['release', 'revoke']],
    ['in grace',                      revoked(graceEnd),       plus(graceEnd, -MICROSECOND), ['revoke']],
    ['revoked after its grace',       revoked(graceEnd),       graceEnd,                   []],
    ['revoked under a hold (D21)',    revoked(NOON, true),     NOON,                       ['release']],
  ] as const;
  for (const [title, state, now, actions] of onKeys) {
    it(`on a key that is ${title} are ${actions.join(', ') || 'none'} (D22)`, () => {
      const one = key('k', state);
      expect(keyActions({ ...account(), keys: [one] }, one, now)).to.deep.equal(actions);
    });
  }

  it('on a key include its retirement while a newer key is active (D22)', () => {
    const [older, newer] = [key('older', suspendedBy()), key('newer', suspendedBy())];
    const both = { ...account(), keys: [older, newer] };
    expect(keyActions(both, older, NOON)).to.deep.equal(['hold', 'retire', 'revoke']);
    expect(keyActions(both, newer, NOON)).to.deep.equal(['hold', 'revoke']);
    const held = { ...both, keys: [older, key('newer', suspendedBy('manual_hold'))] };
    expect(keyActions(held, older, NOON)).to.deep.equal(['hold', 'revoke']);
  });
});
