import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { accepted, auditContext } from '../../support/objects/builders.js';
import { aFreshKey, anAccount } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import { pairOf } from '../two-instances.js';

eachAdapter('Accounts', contracts.accounts, (instance) => {
  /** A new account with a key that begins with `prefix`. */
  const withKey = async (store: Accounts, prefix: string) => {
    const fresh = { ...aFreshKey(), prefix };
    const { id } = await anAccount(store);
    return accepted(await store.change(id, (found) => issueKey(found, fresh, PLANS.pro, auditContext())));
  };

  it('finds accounts by the prefix of a current or former key, whatever change issued it (D42)', async () => {
    const [left, right] = await pairOf(instance);
    const [issued, rotated] = [`svc_${randomUUID()}`, `svc_${randomUUID()}`];
    const account = await withKey(left, issued);
    const key = account.keys.at(-1)?.id ?? expect.fail('no key');
    const successor = { ...aFreshKey(), prefix: rotated };
    const found = () =>
      Promise.all(
        [issued, rotated].map(async (prefix) => (await right.findByKeyPrefix(prefix)).map(({ id }) => id)),
      );
    expect(await right.findByKeyPrefix(issued)).to.deep.equal([account]);
    expect(await found()).to.deep.equal([[account.id], []]);
    await right.change(account.id, (current) => rotateKey(current, key, successor, auditContext()));
    expect(await found()).to.deep.equal([[account.id], [account.id]]);
    for (const id of [key, successor.id]) {
      await left.change(account.id, (current) => revokeKey(current, id, 'manual', auditContext()));
    }
    expect(await found()).to.deep.equal([[account.id], [account.id]]);
    expect(await right.findByKeyPrefix(issued)).to.deep.equal([await left.find(account.id)]);
  });

  it('finds no account by another prefix, by a part of it or by a pattern (D42)', async () => {
    const [left, right] = await pairOf(instance);
    const prefix = `svc_${randomUUID()}`;
    await withKey(left, prefix);
    const others = [prefix.slice(0, -1), `${prefix}x`, prefix.toUpperCase(), 'svc_%', '', `${prefix}\0`];
    for (const other of others) expect(await right.findByKeyPrefix(other), other).to.deep.equal([]);
  });

  it('finds an account with two such keys once, and at most ten accounts (D42)', async () => {
    const [left, right] = await pairOf(instance);
    const prefix = `svc_${randomUUID()}`;
    const twice = await withKey(left, prefix);
    const again = { ...aFreshKey(), prefix };
    await left.change(twice.id, (found) => issueKey(found, again, PLANS.pro, auditContext()));
    expect(await right.findByKeyPrefix(prefix)).to.have.length(1);
    const many = [twice];
    for (let i = 0; i < 9; i += 1) many.push(await withKey(left, prefix));
    const ids = async () => (await right.findByKeyPrefix(prefix)).map(({ id }) => id);
    expect(await ids()).to.have.members(many.map(({ id }) => id));
    many.push(await withKey(left, prefix));
    const ten = await ids();
    expect(new Set(ten).size).to.equal(10);
    expect(many.map(({ id }) => id)).to.include.members(ten);
  });
});
