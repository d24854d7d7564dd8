import { expect } from 'chai';
import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { Invalidation } from '../../../src/application/ports/invalidations.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { refuse } from '../../../src/domain/refusal.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, firstKey } from '../../support/service/accounts.js';

describe('Accounts that announce their changes', () => {
  let stored: MemoryAccounts;
  let invalidations: MemoryInvalidations;
  let accounts: Accounts;
  let heard: Invalidation[];
  beforeEach(() => {
    stored = new MemoryAccounts();
    invalidations = new MemoryInvalidations();
    accounts = invalidatingAccounts(stored, invalidations);
    heard = [];
    invalidations.listen((invalidation) => heard.push(invalidation));
  });

  it('send an invalidation with every key of the changed account, including a new one (D39)', async () => {
    const account = await anAccount(stored, 2);
    const fresh = aFreshKey();
    await accounts.change(account.id, (found) => issueKey(found, fresh, PLANS.pro, auditContext()));
    const keys = [...account.keys.map(({ hash }) => hash), fresh.hash];
    expect(heard).to.deep.equal([{ changed: 'account', keys }]);
  });

  it('send the invalidation after the change is stored, so that listeners read the new state (D39)', async () => {
    const account = await anAccount(stored);
    const { hash } = firstKey(account);
    const suspensions: unknown[] = [];
    invalidations.listen(() => suspensions.push(stored.ofHash(hash)?.account.subscription.suspension.status));
    await accounts.change(account.id, (found) => applyToSubscription(found, 'held', auditContext()));
    expect(suspensions).to.deep.equal(['suspended']);
  });

  it('return from a change after its invalidation was sent', async () => {
    const account = await anAccount(stored);
    const answer = await accounts.change(account.id, (found) =>
      applyToSubscription(found, 'held', auditContext()),
    );
    expect(answer).to.deep.equal(await stored.find(account.id));
    expect(heard).to.have.length(1);
  });

  it('send no invalidation for a refused or failed change', async () => {
    const account = await anAccount(stored);
    const refusal = refuse('rotation_open');
    expect(await accounts.change(account.id, () => refusal)).to.equal(refusal);
    const bug = new Error('bug in a rule');
    const throwing = accounts.change(account.id, () => {
      throw bug;
    });
    expect(await throwing.catch((fault: unknown) => fault)).to.equal(bug);
    expect(heard).to.deep.equal([]);
  });

  it('pass reads through to the accounts that they wrap', async () => {
    const account = await anAccount(accounts);
    const { id } = firstKey(account);
    const rotated = accepted(
      await accounts.change(account.id, (found) => rotateKey(found, id, aFreshKey(), auditContext())),
    );
    expect(await stored.find(account.id)).to.deep.equal(rotated);
    expect(await accounts.find(account.id)).to.deep.equal(rotated);
    expect(await accounts.findByEmail(account.email.toUpperCase())).to.deep.equal(rotated);
    expect(await accounts.findByKey(id)).to.deep.equal(rotated);
    expect(await accounts.auditOf(account.id)).to.deep.equal(await stored.auditOf(account.id));
    expect(await accounts.claimDue(plus(NOON, DAY), 1)).to.deep.equal([account.id]);
    expect(await accounts.isAnyDue(plus(NOON, DAY))).to.equal(true);
    expect(await accounts.claimDue(plus(NOON, DAY), 0)).to.deep.equal([]);
  });
});
