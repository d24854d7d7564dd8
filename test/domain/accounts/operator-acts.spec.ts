import { expect } from 'chai';
import { accountActs, keyActs } from '../../../src/domain/accounts/operator-acts.js';
import type { KeyState } from '../../../src/domain/keys/api-key.js';
import { MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { account, key, NOON, standing } from '../../support/objects/builders.js';

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
    ['nothing stands on it',         standing(),                       ['hold', 'stop-watching', 'sign-out']],
    ['it is held',                   standing('manual_hold'),          ['release', 'stop-watching', 'sign-out']],
    ['it tripped',                   standing('abuse'),                ['hold', 'lift-abuse', 'stop-watching', 'sign-out']],
    ['payments failed',              standing('payment_failure'),      ['hold', 'stop-watching', 'sign-out']],
    ['it tripped and is held',       standing('abuse', 'manual_hold'), ['release', 'lift-abuse', 'stop-watching', 'sign-out']],
  ] as const;
  for (const [words, stands, acts] of onAccounts) {
    it(`to an account where ${words} is ${acts.join(', ')} (D20, D21)`, () => {
      expect(accountActs(account({ standing: stands }), NOON)).to.deep.equal(acts);
    });
  }

  it('to an account that is not watched is to watch it', () => {
    const { subscription, ...rest } = account();
    const unwatched = { ...rest, subscription: { ...subscription, watch: { isOn: false, since: NOON } } };
    expect(accountActs(unwatched, NOON)).to.deep.equal(['hold', 'watch', 'sign-out']);
  });

  const graceEnd = plus(NOON, 5 * MINUTE);
  // biome-ignore format: a table is read by its columns
  const onKeys = [
    ['active',                        standing(),              NOON,                       ['hold', 'revoke']],
    ['held',                          standing('manual_hold'), NOON,                       ['release', 'revoke']],
    ['in grace',                      revoked(graceEnd),       plus(graceEnd, -MICROSECOND), ['revoke']],
    ['revoked after its grace',       revoked(graceEnd),       graceEnd,                   []],
    ['revoked under a hold (D21)',    revoked(NOON, true),     NOON,                       ['release']],
  ] as const;
  for (const [words, state, now, acts] of onKeys) {
    it(`to a key that is ${words} is ${acts.join(', ') || 'nothing'} (D22)`, () => {
      expect(keyActs(key('k', state), now)).to.deep.equal(acts);
    });
  }
});
