import { expect } from 'chai';
import { deleteAccount } from '../../../src/domain/accounts/account-deletion.js';
import { FIRST_MOMENT, MICROSECOND, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, keyId, NOON } from '../../support/objects/builders.js';
import { failedRequest, loggedRequest } from '../../support/objects/logged-requests.js';
import { anAccount, firstKey } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';

const at = (seconds: number) => plus(NOON, seconds * SECOND);

eachAdapter('RequestLogs', contracts.requestLogs, (instance) => {
  const withKey = async () => {
    const stores = await instance();
    return { ...stores, key: firstKey(await anAccount(stores.accounts)).id };
  };

  it('has each request of a key as it was added, newest first, on all instances', async () => {
    const { requestLogs, key } = await withKey();
    const first = failedRequest({ key, bytes: null, query: '', at: plus(NOON, MICROSECOND) });
    const second = loggedRequest({ key, at: at(2), path: '/pm/v2/markets', durationMs: 0.125 });
    await requestLogs.add([second, first]);
    const third = loggedRequest({ key, at: at(1) });
    await (await instance()).requestLogs.add([third]);
    for (const one of [requestLogs, (await instance()).requestLogs])
      expect(await one.of([key], FIRST_MOMENT)).to.deep.equal([second, third, first]);
  });

  it('has only requests of the keys that are asked for, at or after the time', async () => {
    const { requestLogs, accounts, key } = await withKey();
    const other = firstKey(await anAccount(accounts)).id;
    const [early, onTime] = [loggedRequest({ key, at: at(-1) }), loggedRequest({ key })];
    const ofOther = loggedRequest({ key: other, at: at(5) });
    await requestLogs.add([early, onTime, ofOther]);
    expect(await requestLogs.of([key], NOON)).to.deep.equal([onTime]);
    expect(await requestLogs.of([key, other, key], NOON)).to.deep.equal([ofOther, onTime]);
    expect(await requestLogs.of([], NOON)).to.deep.equal([]);
  });

  it('has the last 100 of a key, and 50 failed ones among them', async () => {
    const { requestLogs, key } = await withKey();
    const failed = Array.from({ length: 60 }, (_, i) => failedRequest({ key, at: at(i) }));
    await requestLogs.add(failed);
    const later = Array.from({ length: 150 }, (_, i) => loggedRequest({ key, at: at(60 + i) }));
    for (const half of [later.slice(0, 75), later.slice(75)]) await requestLogs.add(half);
    const kept = await (await instance()).requestLogs.of([key], FIRST_MOMENT);
    expect(kept).to.deep.equal([...later.slice(100).toReversed(), ...failed.slice(10).toReversed()]);
  });

  it('stores nothing of a key that does not exist', async () => {
    const { requestLogs, key } = await withKey();
    await requestLogs.add([loggedRequest({ key: keyId('nobody') }), loggedRequest({ key })]);
    expect(await requestLogs.of([keyId('nobody')], FIRST_MOMENT)).to.deep.equal([]);
    expect(await requestLogs.of([key], FIRST_MOMENT)).to.have.length(1);
  });

  it('stores nothing of a deleted account', async () => {
    const { requestLogs, accounts, accountDeletions } = await instance();
    const account = await anAccount(accounts);
    const key = firstKey(account).id;
    accepted(
      await accountDeletions.delete(account.id, NOON, (found, unapplied) =>
        deleteAccount(found, unapplied, { actor: 'operator', at: NOON }),
      ),
    );
    await requestLogs.add([loggedRequest({ key })]);
    expect(await requestLogs.of([key], FIRST_MOMENT)).to.deep.equal([]);
  });
});
