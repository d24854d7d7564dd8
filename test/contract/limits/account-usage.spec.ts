import { expect } from 'chai';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { REVOKED_KEYS_LISTED } from '../../../src/domain/keys/listed-keys.js';
import { NO_REQUESTS } from '../../../src/domain/limits/usage.js';
import { HOUR, MICROSECOND, type Moment, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, keyId, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import type { UsageOfAccounts } from './adapters.js';

eachAdapter('AccountUsage', contracts.accountUsages, (instance) => {
  /** Notes requests of keys. In Postgres they are written when the history is read. */
  const note = async (
    { history }: UsageOfAccounts,
    requests: readonly (readonly [KeyId, number, Moment])[],
  ) => {
    for (const request of requests) history.note(...request);
    await history.of([], NOON);
  };

  it('adds up the requests of all keys of an account, by status class, and of no other account', async () => {
    const stores = await instance();
    const [account, other] = [await anAccount(stores.accounts, 2), await anAccount(stores.accounts)];
    const [one, two] = account.keys.map(({ id }) => id);
    if (one === undefined || two === undefined) throw new Error('the account has two keys');
    await note(stores, [
      ...[200, 200, 304, 429, 503].map((status) => [one, status, NOON] as const),
      [two, 200, plus(NOON, HOUR)],
      [firstKey(other).id, 200, NOON],
    ]);
    for (const key of [one, two]) {
      const found = await (await instance()).usage.since(key, NOON);
      expect(found).to.deep.equal({ '2xx': 3, '3xx': 1, '4xx': 1, '5xx': 1 });
    }
  });

  it('adds up hours that begin at or after the time', async () => {
    const stores = await instance();
    const { id } = firstKey(await anAccount(stores.accounts));
    await note(stores, [
      [id, 200, plus(NOON, -MICROSECOND)],
      [id, 200, NOON],
      [id, 200, plus(NOON, HOUR)],
    ]);
    const since = async (from: Moment) => (await stores.usage.since(id, from))['2xx'];
    expect([await since(plus(NOON, -HOUR)), await since(NOON), await since(plus(NOON, HOUR))]).to.deep.equal([
      3, 2, 1,
    ]);
    expect(await since(plus(NOON, MICROSECOND))).to.equal(1);
  });

  it('includes keys that were revoked, and those that the account no longer lists', async () => {
    const stores = await instance();
    const { id } = await anAccount(stores.accounts, 0, 'free');
    const all: KeyId[] = [];
    for (let n = 0; n <= REVOKED_KEYS_LISTED + 1; n += 1) {
      const [fresh, context] = [aFreshKey(), auditContext(plus(NOON, 2 * n * HOUR))];
      accepted(await stores.accounts.change(id, (found) => issueKey(found, fresh, PLANS.free, context)));
      all.push(fresh.id);
      if (n > REVOKED_KEYS_LISTED) break;
      accepted(await stores.accounts.change(id, (found) => revokeKey(found, fresh.id, 'manual', context)));
    }
    const [first, last] = [all[0] ?? expect.fail('no key'), all.at(-1) ?? expect.fail('no key')];
    expect((await stores.accounts.find(id))?.keys.map((key) => key.id)).to.deep.equal(all.slice(1));
    await note(stores, [[first, 200, NOON]]);
    expect(await stores.usage.since(last, NOON)).to.deep.equal({ ...NO_REQUESTS, '2xx': 1 });
    expect(await stores.usage.since(first, NOON)).to.deep.equal({ ...NO_REQUESTS, '2xx': 1 });
    expect(await stores.usage.hours(last, NOON)).to.deep.equal([
      { key: first, hour: NOON, statusClass: '2xx', requests: 1 },
    ]);
  });

  it('has each key, hour and class of an account, and of no other account', async () => {
    const stores = await instance();
    const [account, other] = [await anAccount(stores.accounts, 2), await anAccount(stores.accounts)];
    const [one, two] = account.keys.map(({ id }) => id);
    if (one === undefined || two === undefined) throw new Error('the account has two keys');
    await note(stores, [
      [one, 200, plus(NOON, -MICROSECOND)],
      [one, 200, NOON],
      [one, 204, plus(NOON, MICROSECOND)],
      [two, 429, plus(NOON, HOUR)],
      [firstKey(other).id, 200, NOON],
    ]);
    expect(await (await instance()).usage.hours(two, NOON)).to.have.deep.members([
      { key: one, hour: NOON, statusClass: '2xx', requests: 2 },
      { key: two, hour: plus(NOON, HOUR), statusClass: '4xx', requests: 1 },
    ]);
    expect(await stores.usage.hours(keyId('key_unknown'), NOON)).to.deep.equal([]);
  });

  it('answers concurrent calls for many keys and several times, and 0 for an unknown key', async () => {
    const stores = await instance();
    const keys = await Promise.all(
      Array.from({ length: 130 }, async () => firstKey(await anAccount(stores.accounts)).id),
    );
    await note(
      stores,
      keys.flatMap((key, i) => Array.from({ length: i % 3 }, () => [key, 200, NOON] as const)),
    );
    const usedOf = async (key: KeyId, from: Moment) => (await stores.usage.since(key, from))['2xx'];
    const [found, later, unknown] = await Promise.all([
      Promise.all(keys.map((key) => usedOf(key, NOON))),
      Promise.all(keys.map((key) => usedOf(key, plus(NOON, HOUR)))),
      usedOf(keyId('key_unknown'), NOON),
    ]);
    expect(found).to.deep.equal(keys.map((_, i) => i % 3));
    expect(new Set(later)).to.deep.equal(new Set([0]));
    expect(unknown).to.equal(0);
  });
});
