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

describe('What an operator can do', () => {
  // biome-ignore format: a table is read by its columns
  const onAccounts = [
    ['nothing stands on it',         suspendedBy(),                       ['hold', 'stop-watching', 'sign-out']],
    ['it is held',                   suspendedBy('manual_hold'),          ['release', 'stop-watching', 'sign-out']],
    ['it tripped',                   suspendedBy('abuse'),                ['hold', 'lift-abuse', 'stop-watching', 'sign-out']],
    ['payments failed',              suspendedBy('payment_failure'),      ['hold', 'stop-watching', 'sign-out']],
    ['it tripped and is held',       suspendedBy('abuse', 'manual_hold'), ['release', 'lift-abuse', 'stop-watching', 'sign-out']],
  ] as const;
  for (const [title, stands, actions] of onAccounts) {
    it(`to an account where ${title} is ${actions.join(', ')} (D20, D21)`, () => {
      expect(accountActions(account({ suspension: stands }), NOON)).to.deep.equal(actions);
    });
  }

  it('to an account that is not watched is to watch it', () => {
    const { subscription, ...rest } = account();
    const unmonitored = {
      ...rest,
      subscription: { ...subscription, monitoring: { isOn: false, since: NOON } },
    };
    expect(accountActions(unmonitored, NOON)).to.deep.equal(['hold', 'watch', 'sign-out']);
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
    it(`to a key that is ${title} is ${actions.join(', ') || 'nothing'} (D22)`, () => {
      expect(keyActions(key('k', state), now)).to.deep.equal(actions);
    });
  }
});
