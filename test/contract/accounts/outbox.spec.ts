import { expect } from 'chai';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey } from '../../../src/domain/keys/account-keys.js';
import { HOUR, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import { auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { OutboxAndAccounts } from './adapters.js';

const ROUNDS = 20;

eachAdapter('Outbox', contracts.outboxes, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  /** Closes all waiting notices that earlier tests left. */
  const drain = async ({ outbox }: OutboxAndAccounts) => {
    for (;;) {
      const some = await outbox.claim(plus(NOON, 1_000 * HOUR), 1_000);
      for (const { id } of some) await outbox.close(id, 'sent');
      if (some.length === 0) return;
    }
  };

  it('has the notices of a stored change, and none of a refused change', async () => {
    const [one, other] = await pair();
    await drain(one);
    const account = await anAccount(one.accounts, 1);
    await one.accounts.change(account.id, () => refuse('account_exists'));
    const queued = await other.outbox.claim(NOON, 10);
    expect(queued.map(({ notice, attempts }) => [notice.to, notice.news.kind, attempts])).to.deep.equal([
      [account.email, 'key_issued', 1],
    ]);
    expect(await one.outbox.claim(NOON, 10)).to.deep.equal([]);
  });

  it('gives a notice to one of ten concurrent claimers', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      await drain(stores[0]);
      await anAccount(stores[0].accounts, 3);
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) => stores[(i % 2) as 0 | 1].outbox.claim(NOON, 2)),
      );
      const ids = claims.flat().map(({ id }) => id);
      expect(new Set(ids).size).to.equal(3);
      expect(ids).to.have.length(3);
    }
  });

  it('gives a notice that was put back again when it is due, with its attempts; a closed one never', async () => {
    const [one, other] = await pair();
    await drain(one);
    await anAccount(one.accounts, 2);
    const [first, second] = await one.outbox.claim(NOON, 10);
    await one.outbox.putBack(first?.id ?? '', plus(NOON, HOUR));
    await one.outbox.close(second?.id ?? '', 'in doubt');
    expect(await other.outbox.claim(NOON, 10)).to.deep.equal([]);
    const [again, ...others] = await other.outbox.claim(plus(NOON, HOUR), 10);
    expect([again?.id, again?.attempts, others]).to.deep.equal([first?.id, 2, []]);
  });

  it('stores each occasion of an account once, for good', async () => {
    const one = await instance();
    await drain(one);
    const account = await anAccount(one.accounts, 1);
    const hold = () =>
      one.accounts.change(account.id, (found) =>
        applyToSubscription(found, 'held', auditContext(plus(NOON, HOUR))),
      );
    const release = () =>
      one.accounts.change(account.id, (found) =>
        applyToSubscription(found, 'released', auditContext(plus(NOON, HOUR))),
      );
    for (const _ of [1, 2, 3]) {
      await hold();
      await release();
    }
    const kinds = (await one.outbox.claim(plus(NOON, 2 * HOUR), 100)).map(({ notice }) => notice.news.kind);
    expect(kinds.sort()).to.deep.equal(['key_issued', 'restored', 'suspended']);
    await hold();
    expect(await one.outbox.claim(plus(NOON, 2 * HOUR), 100)).to.deep.equal([]);
  });

  it('has a notice that belongs to no change, once for its occasion', async () => {
    const [one, other] = await pair();
    await drain(one);
    const [account, second] = [await anAccount(one.accounts, 0), await anAccount(one.accounts, 0)];
    const notice = { to: account.email, occasion: 'canceled/1', news: { kind: 'canceled' } } as const;
    for (const stores of [one, other, one]) await stores.outbox.queue(account.id, notice, NOON);
    await one.outbox.queue(second.id, notice, plus(NOON, HOUR));
    const claimed = await other.outbox.claim(NOON, 10);
    expect(claimed.map((queued) => [queued.notice, queued.attempts])).to.deep.equal([[notice, 1]]);
    await one.outbox.close(claimed[0]?.id ?? '', 'sent');
    await other.outbox.queue(account.id, notice, NOON);
    expect(await one.outbox.claim(NOON, 10)).to.deep.equal([]);
    expect(await one.outbox.claim(plus(NOON, HOUR), 10)).to.have.length(1);
  });

  it('has notices of a key without its value', async () => {
    const one = await instance();
    await drain(one);
    const account = await anAccount(one.accounts, 0);
    const fresh = aFreshKey();
    await one.accounts.change(account.id, (found) => issueKey(found, fresh, PLANS.pro, auditContext()));
    const text = JSON.stringify(await one.outbox.claim(NOON, 10));
    expect(text).to.include(fresh.prefix);
    expect(text).not.to.include(fresh.hash);
  });
});
