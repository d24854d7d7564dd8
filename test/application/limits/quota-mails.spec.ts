import { expect } from 'chai';
import { memoryStores } from '../../../src/adapters/memory/memory-stores.js';
import { QuotaMails } from '../../../src/application/limits/quota-mails.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { deleteAccount } from '../../../src/domain/accounts/account-deletion.js';
import type { Limit } from '../../../src/domain/limits/rate-limit.js';
import { DAY, epochSeconds, HOUR, plus, startOfDay } from '../../../src/domain/moment.js';
import { accepted, auditContext, keyId, NOON } from '../../support/objects/builders.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';

const limits = (remaining: number, daysLater = 0): readonly Limit[] => [
  {
    policy: { name: 'day', quota: 100, seconds: 86_400 },
    endsAt: epochSeconds(plus(startOfDay(NOON), (1 + daysLater) * DAY)),
    ...{ secondsLeft: 1, remaining },
  },
];

describe('Quota mails', () => {
  /** Stores with one account without waiting notices, and two instances of the service over them. */
  const set = async () => {
    const stores = memoryStores();
    const account = await anAccount(stores.accounts, 2);
    const waiting = async () => {
      const queued = await stores.outbox.claim(plus(NOON, HOUR), 100);
      for (const { id } of queued) await stores.outbox.close(id);
      return queued.map(({ notice }) => notice.occasion.split('/').slice(0, 2).join('/'));
    };
    await waiting();
    const away = { isAway: false };
    const accounts = {
      findByKey: async (key: Parameters<typeof stores.accounts.findByKey>[0]) => {
        if (away.isAway) throw new Unavailable('the store');
        return stores.accounts.findByKey(key);
      },
      change: stores.accounts.change.bind(stores.accounts),
    };
    const instance = () => new QuotaMails({ accounts, outbox: stores.outbox, clock: () => NOON });
    return { stores, account, key: firstKey(account).id, waiting, away, one: instance(), other: instance() };
  };

  it('are one for each level, whatever instance and key notes it', async () => {
    const { account, one, other, waiting } = await set();
    const keys = account.keys.map(({ id }) => id);
    for (const mails of [one, other]) for (const key of keys) mails.note(key, limits(20));
    for (const mails of [one, other]) await mails.queue();
    expect(await waiting()).to.deep.equal(['quota_used/80']);
    for (const remaining of [10, 0, 0]) {
      one.note(keys[0] ?? keyId(''), limits(remaining));
      await one.queue();
    }
    expect(await waiting()).to.deep.equal(['quota_used/100']);
    one.note(keys[0] ?? keyId(''), limits(20, 1));
    await one.queue();
    expect(await waiting()).to.deep.equal(['quota_used/80']);
  });

  it('are none below 80 percent', async () => {
    const { key, one, waiting } = await set();
    one.note(key, limits(21));
    await one.queue();
    expect(await waiting()).to.deep.equal([]);
  });

  it('are none while they are switched off', async () => {
    const { account, key, one, other, waiting } = await set();
    expect(await one.switch(account.id, false)).to.equal(null);
    one.note(key, limits(0));
    await one.queue();
    expect(await waiting()).to.deep.equal([]);
    await one.switch(account.id, true);
    other.note(key, limits(0));
    await other.queue();
    expect(await waiting()).to.deep.equal(['quota_used/100']);
  });

  it('wait while the store is unavailable', async () => {
    const { key, one, away, waiting } = await set();
    away.isAway = true;
    one.note(key, limits(0));
    expect(await one.queue().catch((fault: unknown) => fault)).to.be.instanceOf(Unavailable);
    away.isAway = false;
    await one.queue();
    expect(await waiting()).to.deep.equal(['quota_used/100']);
  });

  it('cannot be switched for a deleted account', async () => {
    const { stores, account, one } = await set();
    accepted(
      await stores.accountDeletions.delete(account.id, NOON, (found, unapplied) =>
        deleteAccount(found, unapplied, auditContext(NOON, 'operator')),
      ),
    );
    expect(await one.switch(account.id, false)).to.deep.include({ refused: 'account_deleted' });
  });
});
