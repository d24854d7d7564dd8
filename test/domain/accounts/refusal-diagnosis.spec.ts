import { expect } from 'chai';
import type { Account, AuditEntry } from '../../../src/domain/accounts/account.js';
import { diagnose, MENDS } from '../../../src/domain/accounts/refusal-diagnosis.js';
import type { Subscription } from '../../../src/domain/billing/subscription.js';
import { type KeyState, suspensionAfter } from '../../../src/domain/keys/api-key.js';
import type { Limit } from '../../../src/domain/limits/rate-limit.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { auditContext, key, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anOpening } from '../../support/service/accounts.js';

const ACTIVE: KeyState = { status: 'active' };
const HELD: KeyState = { status: 'suspended', causes: ['manual_hold'] };
const REVOKED: KeyState = {
  ...{ status: 'revoked', cause: 'manual', revokedAt: NOON, worksUntil: NOON, held: false },
};

/** An account with keys in these states. */
function account(subscription: Partial<Subscription>, states: readonly KeyState[] = [ACTIVE]): Account {
  const { next } = anOpening('pro');
  const keys = states.map((state) => ({ ...key('k'), ...aFreshKey(), state }));
  return { ...next, keys, subscription: { ...next.subscription, ...subscription } };
}
const limit = (name: string, remaining: number, endsAt: number): Limit => ({
  ...{ policy: { name, quota: 10, seconds: 60 }, remaining, endsAt, secondsLeft: 1 },
});
const causes = (of: Account, limits: readonly Limit[] | null = null) =>
  diagnose(of, [], limits, NOON).map(({ cause }) => cause);

describe('The diagnosis of refused requests', () => {
  it('has no cause while requests are served', () => {
    expect(causes(account({}), [limit('day', 1, 9)])).to.deep.equal([]);
  });

  it('has every cause, the one that decides the answer first', () => {
    const suspension = suspensionAfter({ status: 'active' }, 'held', NOON);
    expect(causes(account({ state: 'unpaid', suspension }))).to.deep.equal(['unpaid', 'manual_hold']);
    expect(causes(account({ state: 'incomplete' }, [REVOKED]))).to.deep.equal(['keys_revoked', 'incomplete']);
    expect(causes(account({ state: 'canceled' }, [REVOKED]))).to.deep.equal(['canceled']);
    expect(causes(account({}, []))).to.deep.equal(['no_key']);
  });

  it('names the start of a suspension, as the audit log has it for the account or for the key', () => {
    const suspension = suspensionAfter({ status: 'active' }, 'held', NOON);
    const of = account({ suspension }, [HELD, ACTIVE]);
    const [held] = of.keys;
    const later = plus(NOON, HOUR);
    const entries: readonly AuditEntry[] = [
      { ...auditContext(NOON), event: 'held', key: null },
      { ...auditContext(later), event: 'held', key: held?.id ?? null },
    ];
    const found = diagnose(of, entries, null, NOON).map(({ cause, since, key }) => [cause, since, key?.id]);
    expect(found).to.deep.equal([
      ['manual_hold', NOON, undefined],
      ['key_hold', later, held?.id],
    ]);
  });

  it('names of the limits that are used up the one that resets last', () => {
    const limits = [limit('minute', 0, 5), limit('day', 0, 9), limit('month', 3, 99)];
    const [found] = diagnose(account({}), [], limits, NOON);
    expect([found?.cause, found?.limit?.policy.name]).to.deep.equal(['quota_used', 'day']);
  });

  it('has a mend for each cause that an operator can end, and none for the others', () => {
    const without = Object.entries(MENDS).filter(([, mend]) => mend === 'none');
    expect(without.map(([cause]) => cause)).to.deep.equal(['canceled', 'quota_used']);
  });
});
