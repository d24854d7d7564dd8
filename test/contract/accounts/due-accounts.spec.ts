import { expect } from 'chai';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { Account, Change } from '../../../src/domain/accounts/account.js';
import { applyDue, nextDue } from '../../../src/domain/accounts/account-due.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { rotateKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { DAY, HOUR, MICROSECOND, plus } from '../../../src/domain/moment.js';
import { accepted, auditContext, NOON, used } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey, unchanged } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import { pairOf, ROUNDS, tenAtOnce } from '../two-instances.js';

/** The successor is used at noon, so that the service retires the older key a day later. */
function rotatedAndUsed(account: Account, id: KeyId): Change {
  const fresh = aFreshKey();
  const change = accepted(rotateKey(account, id, fresh, auditContext()));
  return { ...change, next: used(change.next, NOON, fresh.id) };
}

eachAdapter('Accounts', contracts.accounts, (instance) => {
  it('settles due work once in concurrent runs, and it is not due any more (D23, D25)', async () => {
    const stores = await pairOf(instance);
    const late = plus(NOON, DAY);
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0]);
      const { id } = firstKey(account);
      await stores[1].change(account.id, (found) => rotatedAndUsed(found, id));
      await tenAtOnce(stores, (store) => store.change(account.id, (found) => applyDue(found, late)));
      const events = (await stores[1].auditOf(account.id)).map(({ event }) => event);
      expect(events).to.deep.equal(['opened', 'issued', 'issued', 'rotated']);
      expect(await stores[0].claimDue(late, 1_000)).to.not.include(account.id);
    }
  });

  it('claims only accounts with due work, the most overdue first', async () => {
    const accounts = await instance();
    const overlapping = async (at: typeof NOON) => {
      const account = await anAccount(accounts);
      return accepted(
        await accounts.change(account.id, (found) =>
          rotateKey(found, firstKey(found).id, aFreshKey(), auditContext(at)),
        ),
      );
    };
    const later = await overlapping(plus(NOON, 2 * HOUR));
    const sooner = await overlapping(plus(NOON, HOUR));
    const quiet = await anAccount(accounts);
    const dueBy = async (now: typeof NOON) => {
      const ids = await accounts.claimDue(now, 1_000);
      for (const id of ids) await unchanged(accounts, id);
      return ids.filter((id) => [later.id, sooner.id, quiet.id].includes(id));
    };

    expect(nextDue(sooner)).to.equal(plus(NOON, HOUR + DAY));
    expect(await dueBy(plus(NOON, HOUR + DAY - MICROSECOND))).to.deep.equal([]);
    expect(await dueBy(plus(NOON, HOUR + DAY))).to.deep.equal([sooner.id]);
    expect(await dueBy(plus(NOON, 3 * HOUR + DAY))).to.deep.equal([sooner.id, later.id]);
    expect(await accounts.claimDue(plus(NOON, 3 * HOUR + DAY), 1)).to.have.length(1);
  });

  it('does not give an account whose due work is postponed before that time, nor call it due', async () => {
    const [one, other] = await pairOf(instance);
    const account = await anAccount(one);
    const { id } = firstKey(account);
    await one.change(account.id, (found) => rotateKey(found, id, aFreshKey(), auditContext()));
    const due = plus(NOON, DAY);
    expect(await one.claimDue(due, 1_000)).to.include(account.id);
    await one.postponeDue(account.id, plus(due, HOUR));
    expect(await other.claimDue(plus(due, HOUR - MICROSECOND), 1_000)).not.to.include(account.id);
    const claimed = await other.claimDue(plus(due, HOUR), 1_000);
    expect(claimed).to.include(account.id);
    // A change computes the time anew.
    for (const other of claimed) await unchanged(one, other);
    await one.change(account.id, (found) => applyToSubscription(found, 'held', auditContext()));
    expect(await other.claimDue(due, 1_000)).to.include(account.id);
    // An account without due work stays without.
    const quiet = await anAccount(one);
    await one.postponeDue(quiet.id, due);
    expect(await other.claimDue(due, 1_000)).not.to.include(quiet.id);
  });

  it('gives due accounts to one of several concurrent claimers, and again after a change', async () => {
    const stores = await pairOf(instance);
    const due = plus(NOON, 2 * DAY);
    const account = await anAccount(stores[0]);
    const { id } = firstKey(account);
    await stores[0].change(account.id, (found) => rotatedAndUsed(found, id));
    for (let round = 0; round < ROUNDS; round += 1) {
      const claims = await tenAtOnce(stores, (store) => store.claimDue(due, 1_000));
      expect(claims.flat().filter((claimed) => claimed === account.id)).to.have.length(1);
      expect(await stores[1].isAnyDue(due)).to.equal(true);
      for (const claimed of claims.flat()) await unchanged(stores[1], claimed);
    }
    const applied = (store: Accounts) =>
      store.change(account.id, (found) => applyToSubscription(found, 'held', auditContext()));
    await stores[0].claimDue(due, 1_000);
    await applied(stores[1]);
    expect(await stores[0].claimDue(due, 1_000)).to.include(account.id);
    await unchanged(stores[0], account.id);
    for (const other of await stores[0].claimDue(due, 1_000)) {
      await stores[1].change(other, (found) => applyDue(found, due));
    }
    expect(await stores[1].claimDue(due, 1_000)).not.to.include(account.id);
    expect(await stores[1].isAnyDue(plus(NOON, -DAY))).to.equal(false);
  });
});
