import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { randomIds, sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import { freshKey } from '../../../src/application/keys/fresh-key.js';
import { issueKey as issuingKey } from '../../../src/application/keys/issue-key.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { linkCustomer } from '../../../src/domain/billing/account-customer.js';
import { applyToSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { applyOperatorEvent, issueKey, rotateKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { MICROSECOND, plus } from '../../../src/domain/moment.js';
import { isRefusal, refuse } from '../../../src/domain/refusal.js';
import { accepted, auditContext, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, anOpening, firstKey, unchanged } from '../../support/service/accounts.js';
import { contracts } from '../adapters.js';
import { eachAdapter } from '../opening.js';
import { pairOf, ROUNDS, tenAtOnce } from '../two-instances.js';

eachAdapter('Accounts', contracts.accounts, (instance) => {
  it('applies one of ten concurrent rotations, and records it once (D23, D25)', async () => {
    const stores = await pairOf(instance);
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0]);
      const before = (await stores[1].auditOf(account.id)).length;
      const answers = await tenAtOnce(stores, (store) =>
        store.change(account.id, (found) =>
          rotateKey(found, firstKey(found).id, aFreshKey(), auditContext()),
        ),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(await stores[1].auditOf(account.id)).to.have.length(before + 1);
    }
  });

  it('never issues beyond the allowance in concurrent calls (D23)', async () => {
    const stores = await pairOf(instance);
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0], 2);
      const answers = await tenAtOnce(stores, (store) =>
        store.change(account.id, (found) => issueKey(found, aFreshKey(), PLANS.pro, auditContext())),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(3);
      expect(accepted(await unchanged(stores[1], account.id)).keys).to.have.length(5);
    }
  });

  it('opens one of ten concurrently opened accounts with the same email or customer (D42)', async () => {
    const stores = await pairOf(instance);
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = `${randomUUID()}@example.org`;
      const customer = randomUUID();
      const same = [{ email }, { processorCustomerId: customer }][round % 2];
      const answers = await tenAtOnce(stores, (store) => store.open(anOpening('free', same)));
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(answers.filter(isRefusal)).to.deep.equal(Array(9).fill(refuse('account_exists')));
    }
  });

  it('treats an email in another letter case as the same (D42)', async () => {
    const [left, right] = await pairOf(instance);
    const account = await anAccount(left);
    const same = anOpening('free', { email: account.email.toUpperCase() });
    expect(await right.open(same)).to.deep.equal(refuse('account_exists'));
  });

  it('loses no entry of concurrent changes (D25)', async () => {
    const stores = await pairOf(instance);
    const account = await anAccount(stores[0]);
    const { id } = firstKey(account);
    await Promise.all(
      Array.from({ length: ROUNDS }, (_, i) =>
        stores[i % 2 === 0 ? 0 : 1].change(account.id, (found) =>
          applyOperatorEvent(found, id, 'held', auditContext(NOON, 'operator', `turn ${i}`)),
        ),
      ),
    );
    const reasons = (await stores[1].auditOf(account.id)).slice(2).map(({ reason }) => reason);
    expect(reasons).to.have.members(Array.from({ length: ROUNDS }, (_, i) => `turn ${i}`));
  });

  it('shows a stored account to every instance at once, by every way to find it', async () => {
    const [left, right] = await pairOf(instance);
    const account = await anAccount(left);
    expect(await right.find(account.id)).to.deep.equal(account);
    expect(await right.findByEmail(account.email.toUpperCase())).to.deep.equal(account);
    expect(await right.findByKey(firstKey(account).id)).to.deep.equal(account);
  });

  it('keeps the audit log in the order of the changes, verbatim (D25)', async () => {
    const [left, right] = await pairOf(instance);
    const account = await anAccount(left);
    const why = auditContext(plus(NOON, MICROSECOND), 'operator', 'a “reason” with \u0000 and 山');
    await right.change(account.id, (found) => applyToSubscription(found, 'held', why));
    const audit = await left.auditOf(account.id);
    expect(audit.map(({ event }) => event)).to.deep.equal(['opened', 'issued', 'held']);
    expect(audit.at(-1)).to.deep.equal({ ...why, event: 'held', key: null });
  });

  it('writes nothing if the decision is a refusal, and returns it', async () => {
    const accounts = await instance();
    const account = await anAccount(accounts);
    const audit = await accounts.auditOf(account.id);
    expect(await accounts.change(account.id, () => refuse('rotation_open'))).to.deep.equal(
      refuse('rotation_open'),
    );
    expect(await accounts.find(account.id)).to.deep.equal(account);
    expect(await accounts.auditOf(account.id)).to.deep.equal(audit);
  });

  it('writes nothing if the decision throws', async () => {
    const accounts = await instance();
    const account = await anAccount(accounts);
    const audit = await accounts.auditOf(account.id);
    const bug = new Error('bug in a rule');
    const thrown = await accounts
      .change(account.id, () => {
        throw bug;
      })
      .catch((fault: unknown) => fault);
    expect(thrown).to.equal(bug);
    expect(await accounts.find(account.id)).to.deep.equal(account);
    expect(await accounts.auditOf(account.id)).to.deep.equal(audit);
  });

  it('leaves no trace of an account that could not be opened', async () => {
    const accounts = await instance();
    const account = await anAccount(accounts);
    const second = anOpening('free', { email: account.email });
    expect(await accounts.open(second)).to.deep.equal(refuse('account_exists'));
    expect(await accounts.find(second.next.id)).to.equal(null);
    expect(await accounts.auditOf(second.next.id)).to.deep.equal([]);
  });

  it('finds no account by an id, email or key that was never given', async () => {
    const accounts = await instance();
    for (const nobody of ['nobody', '', 'zero \0 character']) {
      expect(await accounts.find(nobody as AccountId)).to.equal(null);
      expect(await accounts.findByEmail(nobody)).to.equal(null);
      expect(await accounts.findByKey(nobody as KeyId)).to.equal(null);
      expect(await unchanged(accounts, nobody as AccountId)).to.deep.equal({
        refused: 'not_found',
        what: 'account',
      });
    }
  });

  it('links one of ten accounts to a customer of the processor, and no two to the same (D42)', async () => {
    const stores = await pairOf(instance);
    for (let round = 0; round < ROUNDS; round += 1) {
      const customer = `cus_${randomUUID()}`;
      const accounts = await Promise.all(Array.from({ length: 10 }, () => anAccount(stores[0], 0)));
      const answers = await Promise.all(
        accounts.map(({ id }, i) =>
          (i % 2 === 0 ? stores[0] : stores[1]).change(id, (found) =>
            linkCustomer(found, customer, auditContext()),
          ),
        ),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(
        answers.filter((answer) => isRefusal(answer) && answer.refused === 'account_exists'),
      ).to.have.length(9);
    }
  });

  it('issues one key for ten forms with the same newest key, sent concurrently (D23)', async () => {
    const stores = await pairOf(instance);
    const makeKey = freshKey({ ids: randomIds, keyFormat: keyFormat('svc_'), hashKey: sha256OfKey });
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0], round % 2);
      const seen = account.keys.at(-1)?.id ?? null;
      const answers = await tenAtOnce(stores, (store) =>
        issuingKey({ accounts: store, makeKey, clock: () => NOON, plans: PLANS })(
          account.id,
          null,
          'customer',
          { seen },
        ),
      );
      expect(answers.filter(isRefusal)).to.deep.equal(Array(9).fill(refuse('changed_meanwhile')));
      expect((await stores[1].find(account.id))?.keys).to.have.length((round % 2) + 1);
    }
  });
});
