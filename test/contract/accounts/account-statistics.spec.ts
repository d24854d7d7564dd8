import { expect } from 'chai';
import type { CountedBatch } from '../../../src/application/ports/accounts/account-statistics.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyKeyEvent, issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import { suspensionAfter } from '../../../src/domain/keys/api-key.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

eachAdapter('AccountStatistics', contracts.accountStatistics, (instance) => {
  it('counts keys by their own state, and subscriptions by plan and state', async () => {
    const { accounts, accountStatistics } = await instance();
    const [first] = [await anAccount(accounts, 2), await anAccount(accounts, 1, 'free')];
    accepted(
      await accounts.change(first.id, (found) =>
        applyKeyEvent(found, firstKey(found).id, 'revoked', auditContext()),
      ),
    );
    const suspended = await anAccount(accounts, 1);
    await accounts.change(suspended.id, ({ subscription, ...others }) => ({
      next: {
        ...others,
        subscription: {
          ...subscription,
          suspension: suspensionAfter(subscription.suspension, 'held', NOON),
        },
      },
      entries: [],
    }));
    const ended = await anAccount(accounts, 0);
    await accounts.change(ended.id, (found) => ({
      next: { ...found, subscription: { ...found.subscription, state: 'canceled' } },
      entries: [],
    }));
    const { keys, subscriptions, last } = await accountStatistics.count(null, 100);
    expect(keys).to.have.deep.members([
      { state: 'active', count: 3 },
      { state: 'revoked', count: 1 },
    ]);
    expect(subscriptions).to.have.deep.members([
      { plan: 'pro', state: 'active', count: 1 },
      { plan: 'free', state: 'active', count: 1 },
      { plan: 'pro', state: 'suspended', count: 1 },
      { plan: 'pro', state: 'canceled', count: 1 },
    ]);
    expect(last).to.equal(null);
  });

  it('counts keys that an account no longer lists as revoked', async () => {
    const { accounts, accountStatistics } = await instance();
    const revoked = async () =>
      (await accountStatistics.count(null, 1_000)).keys.find(({ state }) => state === 'revoked')?.count ?? 0;
    const before = await revoked();
    const { id } = await anAccount(accounts, 0, 'free');
    for (let n = 0; n < 25; n += 1) {
      const [fresh, context] = [aFreshKey(), auditContext(plus(NOON, 2 * n * HOUR))];
      accepted(await accounts.change(id, (found) => issueKey(found, fresh, PLANS.free, context)));
      await accounts.change(id, (found) => revokeKey(found, fresh.id, 'manual', context));
    }
    expect((await accounts.find(id))?.closedKeys).to.equal(4);
    expect((await revoked()) - before).to.equal(25);
  });

  it('counts each account in one of the batches', async () => {
    const { accounts, accountStatistics } = await instance();
    for (let n = 0; n < 5; n += 1) await anAccount(accounts, n);
    const sum = (counts: readonly { readonly count: number }[]) =>
      counts.reduce((total, { count }) => total + count, 0);
    const all = await accountStatistics.count(null, 1_000);
    let [after, keys, subscriptions]: [AccountId | null, number, number] = [null, 0, 0];
    do {
      const batch: CountedBatch = await accountStatistics.count(after, 2);
      expect(sum(batch.subscriptions)).to.be.at.most(2);
      keys += sum(batch.keys);
      subscriptions += sum(batch.subscriptions);
      after = batch.last;
    } while (after !== null);
    expect(subscriptions).to.equal(sum(all.subscriptions)).and.at.least(5);
    expect(keys).to.equal(sum(all.keys)).and.at.least(10);
  });
});
