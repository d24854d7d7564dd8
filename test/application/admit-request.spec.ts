import { expect } from 'chai';
import { MemoryAccounts } from '../../src/adapters/memory/memory-accounts.js';
import { MemoryCounters } from '../../src/adapters/memory/memory-counters.js';
import { MemoryGate } from '../../src/adapters/memory/memory-gate.js';
import { MemoryLastUsed } from '../../src/adapters/memory/memory-last-used.js';
import { admitRequest } from '../../src/application/admit-request.js';
import { guardAddress } from '../../src/application/guard-address.js';
import { type Account, issueKey, revokeKey, strikeSubscription } from '../../src/domain/account.js';
import { type KeyHash, type KeyValue, keyFormat } from '../../src/domain/key-value.js';
import { MINUTE, plus } from '../../src/domain/moment.js';
import { PLANS } from '../../src/domain/plan.js';
import { SUBSCRIPTION_STATES, type SubscriptionState } from '../../src/domain/subscription.js';
import { aFreshKey, anOpening, firstKey } from '../support/accounts.js';
import { accepted, act, NOON } from '../support/builders.js';

const VALUE = `svc_${'B'.repeat(42)}A` as KeyValue;
const ADDRESS = '192.0.2.1';

/** The gateway over stores in memory, with one key whose value is `VALUE`, on a clock that the test holds. */
async function gatewayOf(change: (account: Account) => Account = (account) => account) {
  const clock = { now: NOON };
  const accounts = new MemoryAccounts();
  const counters = new MemoryCounters(() => clock.now);
  const lastUsed = new MemoryLastUsed();
  const { id } = accepted(await accounts.open(anOpening('free')));
  const fresh = { ...aFreshKey(), hash: VALUE as string as KeyHash };
  await accounts.change(id, (account) => issueKey(account, fresh, PLANS.free, act()));
  await accounts.change(id, (account) => ({ next: change(account), entries: [] }));
  const admit = admitRequest({
    gate: new MemoryGate(accounts),
    counters,
    guardAddress: guardAddress({ counters, clock: () => clock.now, requestsPerMinute: 30 }),
    lastUsed,
    clock: () => clock.now,
    hashKey: (value) => value as string as KeyHash,
    keyFormat: keyFormat('svc_'),
    plans: PLANS,
  });
  const ask = async (credential: string | null = VALUE) => {
    const admission = await admit({ credential, address: ADDRESS });
    const remaining = admission.limits.map(({ policy, remaining: left }) => `${policy.name} ${left}`);
    return [admission.admitted ? 'admitted' : admission.refusal.refused, ...remaining];
  };
  return { ask, clock, accounts, id, lastUsed, key: fresh.id };
}

describe('The gateway (section 5.5)', () => {
  it('admits a good key, takes a place in both windows, and notes that it was used', async () => {
    const { ask, lastUsed, key } = await gatewayOf();
    expect(await ask()).to.deep.equal(['admitted', 'minute 59', 'day 4999']);
    expect(await ask()).to.deep.equal(['admitted', 'minute 58', 'day 4998']);
    expect(await lastUsed.of(key)).to.equal(NOON);
  });

  it('tells a missing key from one that cannot exist and one that does not, and counts each by address (D33)', async () => {
    const { ask } = await gatewayOf();
    expect(await ask(null)).to.deep.equal(['key_missing', 'anonymous 29']);
    expect(await ask('nonsense')).to.deep.equal(['key_unknown', 'anonymous 28']);
    expect(await ask(`svc_${'C'.repeat(42)}A`)).to.deep.equal(['key_unknown', 'anonymous 27']);
  });

  it('refuses the 31st stranger of a minute, and none with a good key (D33)', async () => {
    const { ask, clock } = await gatewayOf();
    for (let i = 0; i < 30; i += 1) await ask(null);
    expect(await ask(null)).to.deep.equal(['rate_limited', 'anonymous 0']);
    expect(await ask()).to.deep.equal(['admitted', 'minute 59', 'day 4999']);
    clock.now = plus(NOON, MINUTE);
    expect(await ask(null)).to.deep.equal(['key_missing', 'anonymous 29']);
  });

  it('never counts a revoked key against its address (D33)', async () => {
    const { ask, accounts, id } = await gatewayOf();
    await accounts.change(id, (account) => revokeKey(account, firstKey(account).id, 'manual', act()));
    for (let i = 0; i < 40; i += 1) expect(await ask()).to.deep.equal(['key_revoked', 'anonymous 30']);
  });

  it('looks at the key before the subscription: a suspended key of a paused one is suspended', async () => {
    const { ask } = await gatewayOf((account) => {
      const held = strikeSubscription(account, 'held', act()).next;
      return { ...held, subscription: { ...held.subscription, state: 'paused' } };
    });
    expect(await ask()).to.deep.equal(['key_suspended', 'minute 60', 'day 5000']);
  });

  const answers: Readonly<Record<SubscriptionState, readonly string[]>> = {
    trialing: ['admitted', 'minute 59', 'day 4999'],
    active: ['admitted', 'minute 59', 'day 4999'],
    incomplete: ['subscription_incomplete', 'minute 60', 'day 5000'],
    paused: ['subscription_paused', 'minute 60', 'day 5000'],
    unpaid: ['payment_required', 'minute 60', 'day 5000'],
    canceled: ['key_revoked', 'anonymous 30'],
  };
  for (const state of SUBSCRIPTION_STATES) {
    it(`answers a subscription that is ${state} with ${answers[state][0]} (D27)`, async () => {
      const { ask } = await gatewayOf((account) => ({
        ...account,
        subscription: { ...account.subscription, state },
      }));
      expect(await ask()).to.deep.equal(answers[state]);
    });
  }

  it('wants the scope of the feed, and takes nothing from who lacks it (D18, D34)', async () => {
    const { ask } = await gatewayOf((account) => ({
      ...account,
      keys: account.keys.map((key) => ({ ...key, scopes: ['markets.read'] as const })),
    }));
    expect(await ask()).to.deep.equal(['insufficient_scope', 'minute 60', 'day 5000']);
  });

  it('admits exactly 60 of 200 at once on Free, and again in the next minute (D34)', async () => {
    const { ask, clock } = await gatewayOf();
    const answered = await Promise.all(Array.from({ length: 200 }, () => ask()));
    expect(answered.filter(([answer]) => answer === 'admitted')).to.have.length(60);
    expect(await ask()).to.deep.equal(['rate_limited', 'minute 0', 'day 4940']);
    clock.now = plus(NOON, MINUTE);
    expect(await ask()).to.deep.equal(['admitted', 'minute 59', 'day 4939']);
  });
});
