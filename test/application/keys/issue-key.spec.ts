import { expect } from 'chai';
import { sha256OfKey } from '../../../src/adapters/system/random-ids.js';
import type { Account, AccountId } from '../../../src/domain/accounts/account.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import { GRACE, type KeyId } from '../../../src/domain/keys/api-key.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { SCOPES } from '../../../src/domain/keys/scope.js';
import { DAY, HOUR, plus } from '../../../src/domain/moment.js';
import { isRefusal, refuse } from '../../../src/domain/refusal.js';
import { accepted, NOON, suspendedBy } from '../../support/objects/builders.js';
import {
  accountsInMemory,
  aHolder,
  type InMemory,
  rewrite,
  storedKey,
} from '../../support/service/accounts.js';

describe('Issuing a key', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const empty = async (plan: 'free' | 'builder' | 'pro' = 'pro') => {
    const identity = { email: 'a@example.org', plan, processorCustomerId: null };
    return accepted(await service.openAccount(identity, 'operator'));
  };
  const admitted = async (credential: string) =>
    (
      await service.admitRequest()({
        key: service.keyOf(credential),
        address: '192.0.2.1',
        source: '192.0.2.1',
        network: '192.0.2.0/24',
      })
    ).admitted;

  it('creates a key that works at once, with both scopes and its label (contract sections 3.1, 5.3, D40)', async () => {
    const { id } = await empty();
    const { account, key, value } = accepted(await service.issueKey(id, 'staging' as Label, 'operator'));
    expect(key).to.deep.include({
      label: 'staging',
      scopes: [...SCOPES],
      issuedAt: NOON,
      predecessor: null,
      overlapEndsAt: null,
      state: { status: 'active' },
    });
    expect(account.keys).to.deep.equal([key]);
    expect(await service.accounts.find(id)).to.deep.equal(account);
    expect(await admitted(value)).to.equal(true);
  });

  it('shows the value once: only its hash and 12 characters are stored (contract section 2.12, D42)', async () => {
    const { id } = await empty();
    const { account, key, value } = accepted(await service.issueKey(id, null, 'operator'));
    expect(value).to.match(/^svc_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/);
    expect(key.prefix).to.equal(value.slice(0, 12));
    expect(key.hash).to.equal(sha256OfKey(value));
    expect(JSON.stringify([account, await service.accounts.auditOf(id)])).to.not.include(value.slice(12));
  });

  it('records actor and time (D25)', async () => {
    const { id } = await empty();
    const { key } = accepted(await service.issueKey(id, null, 'operator ann'));
    expect((await service.accounts.auditOf(id)).at(-1)).to.deep.equal({
      actor: 'operator ann',
      reason: null,
      at: NOON,
      event: 'issued',
      key: key.id,
    });
  });

  for (const [plan, allowance] of [
    ['free', 1],
    ['builder', 1],
    ['pro', 5],
  ] as const) {
    it(`issues at most ${allowance} on ${plan}, of ten concurrent calls (contract section 5.3, D23)`, async () => {
      const { id } = await empty(plan);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => service.issueKey(id, null, 'operator')),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(allowance);
      expect(answers.find(isRefusal)).to.deep.equal({ refused: 'allowance_exceeded', allowance });
      expect((await service.accounts.find(id))?.keys).to.have.length(allowance);
    });
  }

  it('uses the allowance of the settings', async () => {
    service = accountsInMemory({
      plans: {
        free: { ...PLANS.free, keys: 2 },
        builder: { ...PLANS.builder, keys: 0 },
        pro: { ...PLANS.pro, keys: 0 },
      },
    });
    const { id } = await empty('free');
    for (let i = 0; i < 2; i += 1) accepted(await service.issueKey(id, null, 'operator'));
    expect(isRefusal(await service.issueKey(id, null, 'operator'))).to.equal(true);
  });

  it('does not bypass a suspension, and leaves no trace of the attempt (D21)', async () => {
    const { id } = await empty();
    await rewrite(service, id, (account) => ({
      ...account,
      subscription: { ...account.subscription, suspension: suspendedBy('abuse') },
    }));
    const before = await service.accounts.auditOf(id);
    expect(await service.issueKey(id, null, 'operator')).to.deep.equal({
      refused: 'key_suspended',
      causes: ['abuse'],
    });
    expect(await service.accounts.auditOf(id)).to.deep.equal(before);
  });

  it('creates one key for two forms with the same newest key, even at the same moment (D23)', async () => {
    const { id } = await empty();
    let seen: KeyId | null = null;
    for (let keys = 1; keys <= 3; keys += 1) {
      const both = await Promise.all([1, 2].map(() => service.issueKey(id, null, 'customer', { seen })));
      expect(both.filter(isRefusal)).to.deep.equal([refuse('changed_meanwhile')]);
      const stored: Account = (await service.accounts.find(id)) ?? expect.fail('no account');
      expect(stored.keys).to.have.length(keys);
      seen = stored.keys.at(-1)?.id ?? null;
    }
  });

  it('checks the seen key only if it is given', async () => {
    const { id } = await empty();
    const first = accepted(await service.issueKey(id, null, 'customer', { seen: null }));
    accepted(await service.issueKey(id, null, 'operator'));
    const before = await service.accounts.auditOf(id);
    for (const seen of [null, first.key.id, 'key_of_nobody' as KeyId]) {
      expect(await service.issueKey(id, null, 'customer', { seen })).to.deep.equal(
        refuse('changed_meanwhile'),
      );
    }
    expect(await service.accounts.auditOf(id)).to.deep.equal(before);
  });

  it('does not count due work as a new key: the newest key seen is still the newest (D23)', async () => {
    const holder = await aHolder(service);
    const successor = accepted(await service.rotateKey(holder.key.id, null, 'customer'));
    service.clock.at = plus(NOON, DAY + HOUR);
    accepted(await service.issueKey(holder.account.id, null, 'customer', { seen: successor.key.id }));
  });

  it('is refused for an account that was never opened', async () => {
    expect(await service.issueKey('acc_nobody' as AccountId, null, 'operator')).to.deep.equal({
      refused: 'not_found',
      what: 'account',
    });
  });

  it('decides on the account after everything that fell due before (D23)', async () => {
    const holder = await aHolder(service);
    const successor = accepted(await service.rotateKey(holder.key.id, null, 'customer'));
    service.keyUses.note(successor.key.id, plus(NOON, HOUR));
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    service.clock.at = plus(NOON, DAY + 2 * HOUR);
    const { key } = accepted(await service.issueKey(holder.account.id, null, 'operator'));
    const last = (await service.accounts.auditOf(holder.account.id)).slice(-2);
    expect(last.map(({ event, key: applied, at }) => [event, applied, at])).to.deep.equal([
      ['rotated', holder.key.id, plus(NOON, DAY + HOUR)],
      ['issued', key.id, plus(NOON, DAY + 2 * HOUR)],
    ]);
    expect((await storedKey(service, holder.key.id)).state).to.include({
      revokedAt: plus(NOON, DAY + HOUR),
      worksUntil: plus(NOON, DAY + HOUR + GRACE),
    });
  });
});
