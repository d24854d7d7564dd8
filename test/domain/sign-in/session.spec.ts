import { expect } from 'chai';
import fc from 'fast-check';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { DAY, type Duration, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import {
  isOpen,
  isProofValid,
  longestSession,
  needsVisitNote,
  type SessionHolder,
  sessionEndsAt,
  startSession,
} from '../../../src/domain/sign-in/session.js';
import type { SecretHash } from '../../../src/domain/sign-in/sign-in.js';
import { NOON, runs } from '../../support/objects/builders.js';

const HOLDERS: Readonly<Record<SessionHolder['kind'], SessionHolder>> = {
  account: { kind: 'account', account: 'acc_1' as AccountId },
  operator: { kind: 'operator', name: 'operator', by: { group: 'ops' } },
};

// biome-ignore format: a table is read by its columns
const LIFETIMES: readonly (readonly [kind: SessionHolder['kind'], idle: Duration, idleText: string, whole: Duration, wholeText: string])[] = [
  ['account',  7 * DAY, '7 days',   30 * DAY,  '30 days'],
  ['operator', HOUR,    'one hour', 12 * HOUR, '12 hours'],
];

for (const [kind, idle, idleText, whole, wholeText] of LIFETIMES) {
  describe(`The session of an ${kind}`, () => {
    const fresh = startSession(HOLDERS[kind], NOON);
    /** Whether the session is open one microsecond before, at, and after a time. */
    const around = (session: typeof fresh, at: Duration) =>
      [-MICROSECOND, 0, MICROSECOND].map((off) => isOpen(session, plus(NOON, at + off)));

    it('begins with a visit of its holder', () => {
      expect(fresh).to.deep.equal({ holder: HOLDERS[kind], startedAt: NOON, seenAt: NOON });
      expect(isOpen(fresh, NOON)).to.equal(true);
    });

    it(`lasts ${idleText} without a visit, to the microsecond`, () => {
      expect(around(fresh, idle)).to.deep.equal([true, false, false]);
      const back = { ...fresh, seenAt: plus(NOON, idle - MICROSECOND) };
      expect(around(back, 2 * idle - MICROSECOND)).to.deep.equal([true, false, false]);
    });

    it(`lasts ${wholeText} at most, to the microsecond, whatever the number of visits`, () => {
      const busy = { ...fresh, seenAt: plus(NOON, whole - MICROSECOND) };
      expect(around(busy, whole)).to.deep.equal([true, false, false]);
      expect(sessionEndsAt(busy)).to.equal(plus(NOON, whole));
      expect(longestSession(kind)).to.equal(whole);
    });

    it('ends no earlier after a visit, and never after its maximum lifetime', () => {
      fc.assert(
        fc.property(fc.nat(whole), fc.nat(whole), (some, more) => {
          const earlier = sessionEndsAt({ ...fresh, seenAt: plus(NOON, some) });
          const later = sessionEndsAt({ ...fresh, seenAt: plus(NOON, some + more) });
          expect(later >= earlier).to.equal(true);
          expect(later <= plus(NOON, whole)).to.equal(true);
        }),
        runs(200),
      );
    });

    it('stores a visit 5 minutes after the last stored one, not earlier', () => {
      const results = [5 * MINUTE - MICROSECOND, 5 * MINUTE, 5 * MINUTE + MICROSECOND].map((after) =>
        needsVisitNote(fresh, plus(NOON, after)),
      );
      expect(results).to.deep.equal([false, true, true]);
      expect(needsVisitNote(fresh, plus(NOON, -HOUR))).to.equal(false);
    });
  });
}

describe('The proof of an operator', () => {
  const [token, other] = ['hash' as SecretHash, 'other' as SecretHash];

  it('is valid only while the token, or the group, is still the configured one', () => {
    expect(isProofValid({ token }, { token, group: undefined })).to.equal(true);
    expect(isProofValid({ token }, { token: other, group: 'ops' })).to.equal(false);
    expect(isProofValid({ group: 'ops' }, { token, group: 'ops' })).to.equal(true);
    expect(isProofValid({ group: 'ops' }, { token, group: 'others' })).to.equal(false);
    expect(isProofValid({ group: 'ops' }, { token, group: undefined })).to.equal(false);
  });
});
