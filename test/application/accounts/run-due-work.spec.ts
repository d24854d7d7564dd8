import { expect } from 'chai';
import { RunDueWork } from '../../../src/application/accounts/run-due-work.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import { Unavailable } from '../../../src/application/unavailable.js';
import { GRACE, type KeyId } from '../../../src/domain/keys/api-key.js';
import { DAY, HOUR, MICROSECOND, MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, NOON } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, type InMemory, storedKey } from '../../support/service/accounts.js';

describe('Due work', () => {
  let service: InMemory;
  beforeEach(() => {
    service = accountsInMemory();
  });

  const rotated = async () => {
    const older = await aHolder(service);
    return { older, successor: accepted(await service.rotateKey(older.key.id, null, 'customer')) };
  };
  /** The successor is used at once. */
  const overlapping = async () => {
    const pair = await rotated();
    service.keyUses.note(pair.successor.key.id, service.clock.at);
    return pair;
  };

  it('never retires an older key before its successor was used, and reminds the owner once (D23)', async () => {
    const { older, successor } = await rotated();
    for (let day = 1; day <= 30; day += 1) {
      service.clock.at = plus(NOON, day * DAY);
      await service.runDueWork.once();
    }
    expect((await storedKey(service, older.key.id)).state).to.deep.equal({ status: 'active' });
    const queued = (await service.outbox.claim(service.clock.at, 100)).map(({ notice }) => notice);
    const reminders = queued.filter(({ news }) => news.kind === 'successor_unused');
    expect(reminders.map(({ occasion }) => occasion)).to.deep.equal([`successor_unused/${successor.key.id}`]);
    service.keyUses.note(successor.key.id, plus(NOON, 30 * DAY + HOUR));
    for (const [hours, status] of [
      [24, 'active'],
      [25, 'revoked'],
    ] as const) {
      service.clock.at = plus(NOON, 30 * DAY + hours * HOUR);
      await service.runDueWork.once();
      expect((await storedKey(service, older.key.id)).state.status, `${hours} h`).to.equal(status);
    }
  });

  it('retires an older key 24 h after the first use of its successor, and not before (D23)', async () => {
    const { older } = await overlapping();
    service.clock.at = plus(NOON, DAY - MICROSECOND);
    await service.runDueWork.once();
    expect((await storedKey(service, older.key.id)).state).to.deep.equal({ status: 'active' });
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    expect((await storedKey(service, older.key.id)).state).to.deep.equal({
      status: 'revoked',
      cause: 'rotation',
      revokedAt: plus(NOON, DAY),
      worksUntil: plus(NOON, DAY + GRACE),
      held: false,
    });
  });

  it('acts as of the due moment, however late it runs (D23)', async () => {
    const { older } = await overlapping();
    service.clock.at = plus(NOON, 40 * DAY);
    await service.runDueWork.once();
    expect((await storedKey(service, older.key.id)).state).to.include({ revokedAt: plus(NOON, DAY) });
    expect((await service.accounts.auditOf(older.account.id)).at(-1)).to.deep.equal({
      actor: 'service',
      reason: 'retired automatically at the end of the rotation',
      at: plus(NOON, DAY),
      event: 'rotated',
      key: older.key.id,
    });
  });

  it('is visible to the gateway: the key is refused from the next request after its grace (D39)', async () => {
    const { older, successor } = await overlapping();
    const answer = async (credential: string) =>
      (
        await service.admitRequest()({
          key: service.keyOf(credential),
          address: '192.0.2.1',
          source: '192.0.2.1',
          network: '192.0.2.0/24',
        })
      ).admitted;
    service.clock.at = plus(NOON, DAY + GRACE);
    expect(await answer(older.value)).to.equal(true);
    await service.runDueWork.once();
    expect([await answer(older.value), await answer(successor.value)]).to.deep.equal([false, true]);
  });

  it('does everything due, also more than one batch, each once', async () => {
    const pairs = [];
    for (let i = 0; i < 250; i += 1) pairs.push(await overlapping());
    service.clock.at = plus(NOON, DAY + HOUR);
    await service.runDueWork.once();
    expect(await service.accounts.claimDue(service.clock.at, 1_000)).to.deep.equal([]);
    for (const { older } of pairs) {
      const audit = await service.accounts.auditOf(older.account.id);
      expect(audit.filter(({ event }) => event === 'rotated')).to.have.length(1);
    }
  });

  it('does everything once even if it runs twice concurrently, and again (D25)', async () => {
    const { older } = await overlapping();
    service.clock.at = plus(NOON, DAY);
    await Promise.all([service.runDueWork.once(), service.runDueWork.once()]);
    await service.runDueWork.once();
    const audit = await service.accounts.auditOf(older.account.id);
    expect(audit.filter(({ event }) => event === 'rotated')).to.have.length(1);
  });

  it('retires nothing when the successor is suspended at that time, or was revoked (D23)', async () => {
    const [held, revoked] = [await overlapping(), await overlapping()];
    accepted(await service.hold.onKey(held.successor.key.id, 'held', null, 'operator'));
    accepted(await service.revokeKey(revoked.successor.key.id, 'manual', null, 'customer'));
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    for (const { older } of [held, revoked]) {
      expect((await storedKey(service, older.key.id)).state).to.deep.equal({ status: 'active' });
    }
    expect(await service.accounts.claimDue(service.clock.at, 10)).to.deep.equal([]);
  });

  it('decides by the state at the due moment, not by the state at which it runs (D23)', async () => {
    const { older, successor } = await rotated();
    service.keyUses.note(successor.key.id, plus(NOON, HOUR));
    service.clock.at = plus(NOON, DAY);
    await service.runDueWork.once();
    service.clock.at = plus(NOON, DAY + 2 * HOUR);
    accepted(await service.hold.onKey(successor.key.id, 'held', null, 'operator'));
    await service.runDueWork.once();
    expect((await storedKey(service, older.key.id)).state).to.include({
      status: 'revoked',
      revokedAt: plus(NOON, DAY + HOUR),
    });
  });

  describe('of an account that causes a fault', () => {
    /** The fault of the account prevents its change until it is mended. */
    const poisoned = async () => {
      const { older } = await overlapping();
      const id = older.account.id;
      const accounts: Accounts = {
        ...service.accounts,
        find: (account) =>
          account === id && !isMended ? Promise.reject(fault) : service.accounts.find(account),
      };
      const reported: unknown[] = [];
      const reportFailure = (...of: readonly unknown[]) => reported.push(of);
      const runDueWork = new RunDueWork({ ...service.dueWorkParts, accounts, reportFailure });
      return { id, runDueWork, reported };
    };
    let isMended: boolean;
    let fault: Error;
    beforeEach(() => {
      isMended = false;
      fault = new TypeError('keys is not iterable');
    });
    const statusOf = async (key: KeyId) => (await storedKey(service, key)).state.status;

    it('is reported with its id and tried again after 5 minutes, and the work of the others is done', async () => {
      const { id, runDueWork, reported } = await poisoned();
      service.clock.at = plus(NOON, HOUR);
      const { older } = await overlapping();
      service.clock.at = plus(NOON, DAY + HOUR);
      await runDueWork.untilDone();
      expect(await statusOf(older.key.id)).to.equal('revoked');
      expect(reported).to.deep.equal([[fault, { account: id }]]);
      service.clock.at = plus(service.clock.at, 5 * MINUTE - MICROSECOND);
      await runDueWork.once();
      expect(reported).to.have.length(1);
      service.clock.at = plus(service.clock.at, MICROSECOND);
      await runDueWork.once();
      expect(reported).to.have.length(2);
      isMended = true;
      service.clock.at = plus(service.clock.at, 5 * MINUTE);
      await runDueWork.once();
      expect(await service.accounts.isAnyDue(service.clock.at)).to.equal(false);
    });

    it('is not postponed if the account cannot be reached now: it is claimed again after its claim', async () => {
      const { runDueWork, reported } = await poisoned();
      service.clock.at = plus(NOON, HOUR);
      const { older } = await overlapping();
      service.clock.at = plus(NOON, DAY + HOUR);
      fault = new Unavailable('Postgres');
      expect(await runDueWork.once().catch((thrown: unknown) => thrown)).to.equal(fault);
      expect([await statusOf(older.key.id), reported]).to.deep.equal(['revoked', []]);
      isMended = true;
      service.clock.at = plus(service.clock.at, 15 * SECOND);
      await runDueWork.once();
      expect(await service.accounts.isAnyDue(service.clock.at)).to.equal(false);
    });
  });

  it('changes nothing if nothing is due', async () => {
    const { account } = await aHolder(service);
    const before = await service.accounts.auditOf(account.id);
    service.clock.at = plus(NOON, 365 * DAY);
    await service.runDueWork.once();
    expect(await service.accounts.find(account.id)).to.deep.equal(account);
    expect(await service.accounts.auditOf(account.id)).to.deep.equal(before);
  });
});
