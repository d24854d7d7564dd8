import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { randomIds, sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import { freshKey } from '../../../src/application/keys/fresh-key.js';
import { issueKey as issuingKey } from '../../../src/application/keys/issue-key.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { nextDue, settled } from '../../../src/domain/accounts/account-due.js';
import { linkCustomer } from '../../../src/domain/billing/account-customer.js';
import { strikeSubscription } from '../../../src/domain/billing/account-subscription.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { issueKey, revokeKey, rotateKey, strikeKey } from '../../../src/domain/keys/account-keys.js';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { DAY, HOUR, MICROSECOND, plus } from '../../../src/domain/moment.js';
import { isRefusal, refuse } from '../../../src/domain/refusal.js';
import { accepted, act, NOON } from '../../support/objects/builders.js';
import { aFreshKey, anAccount, anOpening, firstKey } from '../../support/service/accounts.js';
import { contracts, eachAdapter } from '../adapters.js';

/** So that connections are warm, and attempts truly overlap. */
const ROUNDS = 20;

const unchanged = (store: Accounts, id: AccountId) =>
  store.change(id, (account) => ({ next: account, entries: [] }));

eachAdapter('Accounts', contracts.accounts, (instance) => {
  const pair = async () => [await instance(), await instance()] as const;
  const atOnce = <T>(
    [left, right]: readonly [Accounts, Accounts],
    attempt: (store: Accounts) => Promise<T>,
  ) => Promise.all(Array.from({ length: 10 }, (_, i) => attempt(i % 2 === 0 ? left : right)));

  it('lets one of ten simultaneous rotations through, and records it once (D23, D25)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0]);
      const before = (await stores[1].auditOf(account.id)).length;
      const answers = await atOnce(stores, (store) =>
        store.change(account.id, (found) => rotateKey(found, firstKey(found).id, aFreshKey(), act())),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(await stores[1].auditOf(account.id)).to.have.length(before + 1);
    }
  });

  it('never issues beyond the allowance, whoever asks at once (D23)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0], 2);
      const answers = await atOnce(stores, (store) =>
        store.change(account.id, (found) => issueKey(found, aFreshKey(), PLANS.pro, act())),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(3);
      expect(accepted(await unchanged(stores[1], account.id)).keys).to.have.length(5);
    }
  });

  it('opens one of ten accounts with the same e-mail or customer that are opened at once (D42)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = `${randomUUID()}@example.org`;
      const customer = randomUUID();
      const same = [{ email }, { processorCustomerId: customer }][round % 2];
      const answers = await atOnce(stores, (store) => store.open(anOpening('free', same)));
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(answers.filter(isRefusal)).to.deep.equal(Array(9).fill(refuse('account_exists')));
    }
  });

  it('does once what falls due, whoever does it at once, and it is due no more (D23, D25)', async () => {
    const stores = await pair();
    const late = plus(NOON, DAY);
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0]);
      const { id } = firstKey(account);
      await stores[1].change(account.id, (found) => rotateKey(found, id, aFreshKey(), act()));
      await atOnce(stores, (store) => store.change(account.id, (found) => settled(found, late)));
      const events = (await stores[1].auditOf(account.id)).map(({ event }) => event);
      expect(events).to.deep.equal(['opened', 'issued', 'issued', 'rotated']);
      expect(await stores[0].claimDue(late, 1_000)).to.not.include(account.id);
    }
  });

  it('takes an e-mail in another case for the same (D42)', async () => {
    const [left, right] = await pair();
    const account = await anAccount(left);
    const same = anOpening('free', { email: account.email.toUpperCase() });
    expect(await right.open(same)).to.deep.equal(refuse('account_exists'));
  });

  it('loses no entry of changes that are made at once (D25)', async () => {
    const stores = await pair();
    const account = await anAccount(stores[0]);
    const { id } = firstKey(account);
    await Promise.all(
      Array.from({ length: ROUNDS }, (_, i) =>
        stores[i % 2 === 0 ? 0 : 1].change(account.id, (found) =>
          strikeKey(found, id, 'held', act(NOON, 'operator', `turn ${i}`)),
        ),
      ),
    );
    const reasons = (await stores[1].auditOf(account.id)).slice(2).map(({ reason }) => reason);
    expect(reasons).to.have.members(Array.from({ length: ROUNDS }, (_, i) => `turn ${i}`));
  });

  it('shows what was stored to every instance at once, under every name it has', async () => {
    const [left, right] = await pair();
    const account = await anAccount(left);
    expect(await right.find(account.id)).to.deep.equal(account);
    expect(await right.findByEmail(account.email.toUpperCase())).to.deep.equal(account);
    expect(await right.findByKey(firstKey(account).id)).to.deep.equal(account);
  });

  it('keeps the audit log in the order of what was done, word for word (D25)', async () => {
    const [left, right] = await pair();
    const account = await anAccount(left);
    const why = act(plus(NOON, MICROSECOND), 'operator', 'a “reason” with \u0000 and 山');
    await right.change(account.id, (found) => strikeSubscription(found, 'held', why));
    const audit = await left.auditOf(account.id);
    expect(audit.map(({ event }) => event)).to.deep.equal(['opened', 'issued', 'held']);
    expect(audit.at(-1)).to.deep.equal({ ...why, event: 'held', key: null });
  });

  it('writes nothing when the decision is a refusal, and answers it', async () => {
    const accounts = await instance();
    const account = await anAccount(accounts);
    const audit = await accounts.auditOf(account.id);
    expect(await accounts.change(account.id, () => refuse('rotation_open'))).to.deep.equal(
      refuse('rotation_open'),
    );
    expect(await accounts.find(account.id)).to.deep.equal(account);
    expect(await accounts.auditOf(account.id)).to.deep.equal(audit);
  });

  it('writes nothing when the decision throws', async () => {
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

  it('knows nobody by a name that was never given', async () => {
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

  it('names accounts that something falls due on, the most overdue first, and no others', async () => {
    const accounts = await instance();
    const overlapping = async (at: typeof NOON) => {
      const account = await anAccount(accounts);
      return accepted(
        await accounts.change(account.id, (found) =>
          rotateKey(found, firstKey(found).id, aFreshKey(), act(at)),
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

  it('gives what is due to one of those who claim at once, and again once it was looked at', async () => {
    const stores = await pair();
    const due = plus(NOON, 2 * DAY);
    const account = await anAccount(stores[0]);
    const { id } = firstKey(account);
    await stores[0].change(account.id, (found) => rotateKey(found, id, aFreshKey(), act()));
    for (let round = 0; round < ROUNDS; round += 1) {
      const claims = await atOnce(stores, (store) => store.claimDue(due, 1_000));
      expect(claims.flat().filter((claimed) => claimed === account.id)).to.have.length(1);
      expect(await stores[1].isAnyDue(due)).to.equal(true);
      for (const claimed of claims.flat()) await unchanged(stores[1], claimed);
    }
    const struck = (store: Accounts) =>
      store.change(account.id, (found) => strikeSubscription(found, 'held', act()));
    await stores[0].claimDue(due, 1_000);
    await struck(stores[1]);
    expect(await stores[0].claimDue(due, 1_000)).to.include(account.id);
    await unchanged(stores[0], account.id);
    for (const other of await stores[0].claimDue(due, 1_000)) {
      await stores[1].change(other, (found) => settled(found, due));
    }
    expect(await stores[1].claimDue(due, 1_000)).not.to.include(account.id);
    expect(await stores[1].isAnyDue(plus(NOON, -DAY))).to.equal(false);
  });

  it('is one customer of the processor, and no two accounts are the same one (D42)', async () => {
    const stores = await pair();
    for (let round = 0; round < ROUNDS; round += 1) {
      const customer = `cus_${randomUUID()}`;
      const accounts = await Promise.all(Array.from({ length: 10 }, () => anAccount(stores[0], 0)));
      const answers = await Promise.all(
        accounts.map(({ id }, i) =>
          (i % 2 === 0 ? stores[0] : stores[1]).change(id, (found) => linkCustomer(found, customer, act())),
        ),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(
        answers.filter((answer) => isRefusal(answer) && answer.refused === 'account_exists'),
      ).to.have.length(9);
    }
  });

  it('issues one key to ten forms that saw the same keys, sent at once (D23)', async () => {
    const stores = await pair();
    const makeKey = freshKey({ ids: randomIds, keyFormat: keyFormat('svc_'), hashKey: sha256OfKey });
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await anAccount(stores[0], round % 2);
      const seen = account.keys.at(-1)?.id ?? null;
      const answers = await atOnce(stores, (store) =>
        issuingKey({ accounts: store, makeKey, clock: () => NOON, plans: PLANS })(
          account.id,
          null,
          'customer',
          seen,
        ),
      );
      expect(answers.filter(isRefusal)).to.deep.equal(Array(9).fill(refuse('changed_meanwhile')));
      expect((await stores[1].find(account.id))?.keys).to.have.length((round % 2) + 1);
    }
  });

  describe('by the prefix of a key (D42)', () => {
    /** An account of its own with a key that begins so. */
    const withKey = async (store: Accounts, prefix: string) => {
      const fresh = { ...aFreshKey(), prefix };
      const { id } = await anAccount(store);
      return accepted(await store.change(id, (found) => issueKey(found, fresh, PLANS.pro, act())));
    };

    it('find who has, or had, such a key, under whatever change it was issued', async () => {
      const [left, right] = await pair();
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
      await right.change(account.id, (current) => rotateKey(current, key, successor, act()));
      expect(await found()).to.deep.equal([[account.id], [account.id]]);
      for (const id of [key, successor.id]) {
        await left.change(account.id, (current) => revokeKey(current, id, 'manual', act()));
      }
      expect(await found()).to.deep.equal([[account.id], [account.id]]);
      expect(await right.findByKeyPrefix(issued)).to.deep.equal([await left.find(account.id)]);
    });

    it('find nobody by another one, by a part of it or by its pattern', async () => {
      const [left, right] = await pair();
      const prefix = `svc_${randomUUID()}`;
      await withKey(left, prefix);
      const others = [prefix.slice(0, -1), `${prefix}x`, prefix.toUpperCase(), 'svc_%', '', `${prefix}\0`];
      for (const other of others) expect(await right.findByKeyPrefix(other), other).to.deep.equal([]);
    });

    it('find who has two such keys once, and of many ten', async () => {
      const [left, right] = await pair();
      const prefix = `svc_${randomUUID()}`;
      const twice = await withKey(left, prefix);
      const again = { ...aFreshKey(), prefix };
      await left.change(twice.id, (found) => issueKey(found, again, PLANS.pro, act()));
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
});
