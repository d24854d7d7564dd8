import { expect } from 'chai';
import { deleteAccount } from '../../../src/domain/accounts/account-deletion.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import type { KeyHash } from '../../../src/domain/keys/key-value.js';
import { MINUTE, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { anAccount } from '../../support/service/accounts.js';
import { unique } from '../../support/service/api-calls.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const aKey = (prefix = 'svc_test_abcdefgh') => ({
  hash: `hash-${unique()}` as KeyHash,
  prefix,
  createdAt: NOON,
});

eachAdapter('SandboxKeys', contracts.sandboxKeys, (instance) => {
  it('finds the account of a key, on all instances, and shows the key', async () => {
    const { sandboxKeys, accounts } = await instance();
    const { id } = await anAccount(accounts);
    const { hash, ...shown } = aKey();
    expect(await sandboxKeys.of(id)).to.equal(null);
    expect(await sandboxKeys.put(id, { hash, ...shown })).to.equal(true);
    for (const one of [sandboxKeys, (await instance()).sandboxKeys]) {
      expect(await one.find(hash)).to.deep.equal({ account: id, causes: [] });
      expect(await one.of(id)).to.deep.equal(shown);
    }
    expect(await sandboxKeys.find(aKey().hash)).to.equal(null);
  });

  it('replaces the key of an account, and removes it', async () => {
    const { sandboxKeys, accounts } = await instance();
    const { id } = await anAccount(accounts);
    const [first, second] = [aKey(), { ...aKey('svc_test_ijklmnop'), createdAt: plus(NOON, MINUTE) }];
    for (const key of [first, second]) await sandboxKeys.put(id, key);
    expect(await sandboxKeys.find(first.hash)).to.equal(null);
    expect((await sandboxKeys.of(id))?.prefix).to.equal(second.prefix);
    expect([await sandboxKeys.remove(id), await sandboxKeys.remove(id)]).to.deep.equal([true, false]);
    expect(await sandboxKeys.find(second.hash)).to.equal(null);
    expect(await sandboxKeys.of(id)).to.equal(null);
  });

  it('tells the causes that suspend the subscription', async () => {
    const { sandboxKeys, accounts } = await instance();
    const { id } = await anAccount(accounts);
    const key = aKey();
    await sandboxKeys.put(id, key);
    accepted(await accounts.change(id, (account) => applyToSubscription(account, 'held', auditContext())));
    expect((await sandboxKeys.find(key.hash))?.causes).to.deep.equal(['manual_hold']);
  });

  it('has no key of a deleted account, and stores none', async () => {
    const { sandboxKeys, accounts, accountDeletions } = await instance();
    const { id } = await anAccount(accounts);
    const key = aKey();
    await sandboxKeys.put(id, key);
    const decide: Parameters<typeof accountDeletions.delete>[2] = (account, unapplied) =>
      deleteAccount(account, unapplied, { actor: 'operator', at: NOON });
    accepted(await accountDeletions.delete(id, NOON, decide));
    expect(await sandboxKeys.find(key.hash)).to.equal(null);
    expect(await sandboxKeys.of(id)).to.equal(null);
    expect(await sandboxKeys.put(id, aKey())).to.equal(false);
    expect(await sandboxKeys.put('nobody' as typeof id, aKey())).to.equal(false);
  });
});
