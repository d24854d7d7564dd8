import { expect } from 'chai';
import type { KeyId } from '../../../src/domain/keys/api-key.js';
import type { Label } from '../../../src/domain/keys/label.js';
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

describe('Rotating a key', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const admitted = async (credential: string) =>
    (
      await service.admitRequest()({
        key: service.keyOf(credential),
        address: '192.0.2.1',
        source: '192.0.2.1',
        network: '192.0.2.0/24',
      })
    ).admitted;

  for (const plan of ['free', 'builder', 'pro'] as const) {
    it(`on ${plan} issues a successor beside the key, and both work (contract section 5.4, D23)`, async () => {
      const { key, value } = await aHolder(service, plan);
      service.clock.at = plus(NOON, HOUR);
      const successor = accepted(await service.rotateKey(key.id, null, 'customer'));
      expect(successor.key).to.deep.include({
        predecessor: key.id,
        issuedAt: plus(NOON, HOUR),
        overlapEndsAt: plus(NOON, HOUR + DAY),
        state: { status: 'active' },
      });
      expect(successor.value).to.not.equal(value);
      expect(await storedKey(service, key.id)).to.deep.equal(key);
      expect([await admitted(value), await admitted(successor.value)]).to.deep.equal([true, true]);
    });
  }

  it('keeps the label unless a new one is given (D23)', async () => {
    const { account, key } = await aHolder(service);
    const named = accepted(await service.issueKey(account.id, 'old' as Label, 'customer'));
    const kept = accepted(await service.rotateKey(named.key.id, null, 'customer'));
    expect(kept.key.label).to.equal('old');
    const renamed = accepted(await service.rotateKey(key.id, 'new' as Label, 'customer'));
    expect(renamed.key.label).to.equal('new');
  });

  it('records actor and key (D25)', async () => {
    const { account, key } = await aHolder(service);
    const successor = accepted(await service.rotateKey(key.id, null, 'customer'));
    expect((await service.accounts.auditOf(account.id)).at(-1)).to.deep.equal({
      actor: 'customer',
      reason: `succeeds ${key.id}`,
      at: NOON,
      event: 'issued',
      key: successor.key.id,
    });
  });

  it('succeeds for one of ten concurrent calls, in each of 20 rounds (D23)', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { account, key } = await aHolder(service, 'free');
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => service.rotateKey(key.id, null, 'customer')),
      );
      expect(answers.filter((answer) => !isRefusal(answer))).to.have.length(1);
      expect(answers.filter(isRefusal)).to.deep.equal(Array(9).fill(refuse('rotation_open')));
      expect((await service.accounts.find(account.id))?.keys).to.have.length(2);
    }
  });

  it('allows no chain: neither key of an open overlap can be rotated (D23)', async () => {
    const { key } = await aHolder(service);
    const successor = accepted(await service.rotateKey(key.id, null, 'customer'));
    for (const id of [key.id, successor.key.id]) {
      expect(await service.rotateKey(id, null, 'customer')).to.deep.equal(refuse('rotation_open'));
    }
  });

  it('is possible again once the successor or the older key is revoked (D23)', async () => {
    const { key } = await aHolder(service);
    const first = accepted(await service.rotateKey(key.id, null, 'customer'));
    accepted(await service.revokeKey(first.key.id, 'manual', null, 'customer'));
    const second = accepted(await service.rotateKey(key.id, null, 'customer'));
    accepted(await service.revokeKey(key.id, 'rotation', null, 'customer'));
    accepted(await service.rotateKey(second.key.id, null, 'customer'));
  });

  it('is possible again 24 h after the first use of the successor, when the older key is retired (D23)', async () => {
    const { key } = await aHolder(service);
    const successor = accepted(await service.rotateKey(key.id, null, 'customer'));
    service.keyUses.note(successor.key.id, NOON);
    service.clock.at = plus(NOON, DAY - 1);
    await service.runDueWork.once();
    expect(await service.rotateKey(successor.key.id, null, 'customer')).to.deep.equal(
      refuse('rotation_open'),
    );
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    accepted(await service.rotateKey(successor.key.id, null, 'customer'));
    expect(await service.rotateKey(key.id, null, 'customer')).to.deep.equal(refuse('key_revoked'));
  });

  it('is refused for a key with a hold on it or on its subscription, and adds no key (D21)', async () => {
    const own = await aHolder(service);
    accepted(await service.hold.onKey(own.key.id, 'held', null, 'operator'));
    const above = await aHolder(service);
    await rewrite(service, above.account.id, (account) => ({
      ...account,
      subscription: { ...account.subscription, suspension: suspendedBy('payment_failure') },
    }));
    for (const [holder, cause] of [
      [own, 'manual_hold'],
      [above, 'payment_failure'],
    ] as const) {
      expect(await service.rotateKey(holder.key.id, null, 'customer')).to.deep.equal({
        refused: 'key_suspended',
        causes: [cause],
      });
      expect((await service.accounts.find(holder.account.id))?.keys).to.have.length(1);
    }
  });

  it('is refused for a key that was never issued', async () => {
    expect(await service.rotateKey('key_nobody' as KeyId, null, 'customer')).to.deep.equal({
      refused: 'not_found',
      what: 'key',
    });
  });
});
