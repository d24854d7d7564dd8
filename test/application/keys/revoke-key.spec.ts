import { expect } from 'chai';
import type { Reason } from '../../../src/domain/accounts/reason.js';
import { GRACE, type KeyId } from '../../../src/domain/keys/api-key.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus } from '../../../src/domain/moment.js';
import { isRefusal, refuse } from '../../../src/domain/refusal.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, type InMemory, storedKey } from '../../support/service/accounts.js';

describe('Revoking a key', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const answer = async (credential: string) => {
    const admission = await service.admitRequest()({
      key: service.keyOf(credential),
      address: '192.0.2.1',
      source: '192.0.2.1',
      network: '192.0.2.0/24',
    });
    return admission.admitted ? 'admitted' : admission.refusal.refused;
  };
  const overlapping = async () => {
    const older = await aHolder(service);
    return { older, successor: accepted(await service.rotateKey(older.key.id, null, 'customer')) };
  };

  it('manually ends it at once, from the next request (contract section 3.1, D22, D39)', async () => {
    const { key, value } = await aHolder(service);
    expect(await answer(value)).to.equal('admitted');
    accepted(await service.revokeKey(key.id, 'manual', 'lost laptop' as Reason, 'customer'));
    expect(await answer(value)).to.equal('key_revoked');
  });

  it('for its successor lets it work for 5 minutes, to the microsecond (contract section 5.4, D22)', async () => {
    const { older, successor } = await overlapping();
    service.clock.at = plus(NOON, HOUR);
    accepted(await service.revokeKey(older.key.id, 'rotation', null, 'customer'));
    service.clock.at = plus(NOON, HOUR + GRACE - MICROSECOND);
    expect(await answer(older.value)).to.equal('admitted');
    service.clock.at = plus(NOON, HOUR + GRACE);
    expect(await answer(older.value)).to.equal('key_revoked');
    expect(await answer(successor.value)).to.equal('admitted');
  });

  it('for rotation needs an active replacement: the successor, or any key issued after it (D23)', async () => {
    const { account, key } = await aHolder(service);
    expect(await service.revokeKey(key.id, 'rotation', null, 'customer')).to.deep.equal(
      refuse('no_replacement'),
    );
    const later = accepted(await service.issueKey(account.id, null, 'customer'));
    accepted(await service.hold.onKey(later.key.id, 'held', null, 'operator'));
    expect(await service.revokeKey(key.id, 'rotation', null, 'customer')).to.deep.equal(
      refuse('no_replacement'),
    );
    accepted(await service.hold.onKey(later.key.id, 'released', null, 'operator'));
    expect(await service.revokeKey(later.key.id, 'rotation', null, 'customer')).to.deep.equal(
      refuse('no_replacement'),
    );
    accepted(await service.revokeKey(key.id, 'rotation', null, 'customer'));
    expect((await storedKey(service, key.id)).state).to.include({ cause: 'rotation', revokedAt: NOON });
  });

  it('manually ends a running grace (D22)', async () => {
    const { older } = await overlapping();
    accepted(await service.revokeKey(older.key.id, 'rotation', null, 'customer'));
    service.clock.at = plus(NOON, MINUTE);
    expect(await answer(older.value)).to.equal('admitted');
    accepted(await service.revokeKey(older.key.id, 'manual', 'leaked' as Reason, 'operator'));
    expect(await answer(older.value)).to.equal('key_revoked');
    expect((await storedKey(service, older.key.id)).state).to.include({
      cause: 'rotation',
      revokedAt: NOON,
      worksUntil: plus(NOON, MINUTE),
    });
  });

  it('is final: a revoked key cannot be retired again, nor released (contract section 3.1, D22)', async () => {
    const { older } = await overlapping();
    accepted(await service.revokeKey(older.key.id, 'manual', null, 'customer'));
    expect(await service.revokeKey(older.key.id, 'rotation', null, 'customer')).to.deep.equal(
      refuse('key_revoked'),
    );
    accepted(await service.hold.onKey(older.key.id, 'released', null, 'operator'));
    expect(await answer(older.value)).to.equal('key_revoked');
  });

  it('for rotation of a suspended key gives no grace (D22)', async () => {
    const { older } = await overlapping();
    accepted(await service.hold.onKey(older.key.id, 'held', null, 'operator'));
    accepted(await service.revokeKey(older.key.id, 'rotation', null, 'customer'));
    expect(await answer(older.value)).to.equal('key_revoked');
  });

  it('makes room for another key in the allowance, unless it is on hold (D21)', async () => {
    const free = await aHolder(service, 'free');
    accepted(await service.revokeKey(free.key.id, 'manual', null, 'customer'));
    const next = accepted(await service.issueKey(free.account.id, null, 'customer'));
    accepted(await service.hold.onKey(next.key.id, 'held', null, 'operator'));
    accepted(await service.revokeKey(next.key.id, 'manual', null, 'customer'));
    expect(isRefusal(await service.issueKey(free.account.id, null, 'customer'))).to.equal(true);
    accepted(await service.hold.onKey(next.key.id, 'released', null, 'operator'));
    accepted(await service.issueKey(free.account.id, null, 'customer'));
  });

  it('records actor, reason and time (D25)', async () => {
    const { account, key } = await aHolder(service);
    accepted(await service.revokeKey(key.id, 'manual', 'lost laptop' as Reason, 'customer'));
    expect((await service.accounts.auditOf(account.id)).at(-1)).to.deep.equal({
      actor: 'customer',
      reason: 'lost laptop',
      at: NOON,
      event: 'revoked',
      key: key.id,
    });
  });

  it('comes after what fell due before it: a retirement after 24 h keeps its own time (D23)', async () => {
    const { older, successor } = await overlapping();
    service.keyUses.note(successor.key.id, plus(NOON, HOUR));
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    service.clock.at = plus(NOON, DAY + HOUR + MINUTE);
    accepted(await service.revokeKey(older.key.id, 'manual', null, 'customer'));
    expect((await storedKey(service, older.key.id)).state).to.include({
      cause: 'rotation',
      revokedAt: plus(NOON, DAY + HOUR),
      worksUntil: plus(NOON, DAY + HOUR + MINUTE),
    });
  });

  it('retires a key once in ten concurrent calls, and records it once (D25)', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { older } = await overlapping();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => service.revokeKey(older.key.id, 'rotation', null, 'customer')),
      );
      expect(answers.filter((each) => !isRefusal(each))).to.have.length(1);
      const audit = await service.accounts.auditOf(older.account.id);
      expect(audit.filter(({ event }) => event === 'rotated')).to.have.length(1);
    }
  });

  it('is refused for a key that was never issued', async () => {
    expect(await service.revokeKey('key_nobody' as KeyId, 'manual', null, 'customer')).to.deep.equal({
      refused: 'not_found',
      what: 'key',
    });
  });
});
