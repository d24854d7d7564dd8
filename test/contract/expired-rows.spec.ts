import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { applyPaymentEvent } from '../../src/application/billing/apply-payment-event.js';
import type { Stores } from '../../src/application/ports/stores.js';
import type { AccountId } from '../../src/domain/accounts/account.js';
import type { EmailAddress } from '../../src/domain/accounts/email-address.js';
import { DUNNING } from '../../src/domain/billing/dunning.js';
import { DAY, FIRST_MOMENT, HOUR, MICROSECOND, MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import type { ExpiringTable } from '../../src/domain/retention.js';
import { startSession } from '../../src/domain/sign-in/session.js';
import { linkToken, type SecretHash } from '../../src/domain/sign-in/sign-in.js';
import { deliveryEntry } from '../support/destinations/destinations.js';
import { accepted, keyId, NOON, openInvoice } from '../support/objects/builders.js';
import { loggedRequest } from '../support/objects/logged-requests.js';
import { receivedEvent } from '../support/objects/received-events.js';
import { anAccount, firstKey } from '../support/service/accounts.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

const LATE = plus(NOON, 10_000 * DAY);
const apply = applyPaymentEvent({ schedule: DUNNING, pastDue: 'serve', deadlineRule: 'no processor' }, NOON);
const aHash = () => `hash_${randomUUID()}` as SecretHash;

type Log = 'account_change';

/** Adds one change to a log. Its time is real time. */
const CHANGES: Readonly<Record<Log, (stores: Stores) => Promise<unknown>>> = {
  account_change: ({ accounts }) => anAccount(accounts, 0),
};
/** Later than every change. */
const FUTURE = plus(NOON, 100_000 * DAY);

/** The first attempt to collect an invoice fails, which is always the same occasion of a notice. */
async function failPayment(accounts: Stores['accounts'], id: AccountId): Promise<void> {
  for (const dunning of [[openInvoice()], []]) {
    accepted(await accounts.change(id, (account) => ({ next: { ...account, dunning }, entries: [] })));
  }
}

/** Stores a row that expires at `NOON`, and returns whether it is still there. */
const ROWS: Readonly<
  Record<Exclude<ExpiringTable, Log>, (stores: Stores) => Promise<() => Promise<boolean>>>
> = {
  one_time_token: async ({ oneTimeTokens }) => {
    const hash = aHash();
    const link = linkToken('a@example.org' as EmailAddress, aHash(), plus(NOON, -15 * MINUTE));
    await oneTimeTokens.keep(hash, link);
    return async () => (await oneTimeTokens.find(hash)) !== null;
  },
  session: async ({ sessions }) => {
    const [hash, holder] = [aHash(), { kind: 'operator', name: randomUUID(), by: { group: 'g' } } as const];
    await sessions.start(hash, startSession(holder, plus(NOON, -2 * HOUR)));
    // A visit prolongs the session.
    await sessions.note(hash, plus(NOON, -HOUR));
    return async () => (await sessions.find(hash)) !== null;
  },
  usage: async ({ usage }) => {
    const key = keyId(randomUUID());
    usage.note(key, 200, plus(NOON, MINUTE));
    const isThere = async () => (await usage.of([key], FIRST_MOMENT)).length > 0;
    await isThere();
    return isThere;
  },
  notice: async ({ outbox, accounts }) => {
    const { id } = await anAccount(accounts, 0);
    await failPayment(accounts, id);
    for (const queued of await outbox.claim(NOON, 100)) await outbox.close(queued.id, 'sent');
    // While the notice is stored, the same occasion causes no other one.
    return async () => {
      await failPayment(accounts, id);
      return (await outbox.claim(NOON, 100)).length === 0;
    };
  },
  payment_event: async ({ inbox }) => {
    const event = receivedEvent({ fact: null });
    await inbox.receive(event, NOON, apply);
    return async () => (await inbox.find(event.id)) !== null;
  },
  destination_delivery: async ({ destinations }) => {
    const entry = deliveryEntry({ at: NOON });
    await destinations.note(entry);
    return async () => (await destinations.deliveries(entry.destination)).length > 0;
  },
  request_log: async ({ accounts, requestLogs, outbox }) => {
    const { id } = firstKey(await anAccount(accounts));
    for (const queued of await outbox.claim(NOON, 100)) await outbox.close(queued.id, 'sent');
    await requestLogs.add([loggedRequest({ key: id, at: NOON })]);
    return async () => (await requestLogs.of([id], FIRST_MOMENT)).length > 0;
  },
};
const TABLES = Object.keys(ROWS) as Exclude<ExpiringTable, Log>[];

eachAdapter('ExpiredRows', contracts.expiredRows, (instance) => {
  const emptied = async () => {
    const stores = await instance();
    for (const { id } of await stores.outbox.claim(LATE, 1_000)) await stores.outbox.close(id, 'sent');
    for (const table of TABLES)
      await stores.expiredRows.delete(table, { until: plus(LATE, DAY), newestKept: 0 }, 10_000);
    return stores;
  };

  for (const table of TABLES) {
    it(`deletes a row of ${table} when its time has come, to the microsecond`, async () => {
      const stores = await emptied();
      const isThere = await ROWS[table](stores);
      expect(
        await stores.expiredRows.delete(table, { until: plus(NOON, -MICROSECOND), newestKept: 0 }, 1_000),
      ).to.equal(0);
      expect(await isThere()).to.equal(true);
      expect(await stores.expiredRows.delete(table, { until: NOON, newestKept: 0 }, 1_000)).to.equal(1);
      expect(await isThere()).to.equal(false);
    });

    it(`deletes at most the given number of rows of ${table}, and finds the others later`, async () => {
      const stores = await emptied();
      const rows = [];
      for (let i = 0; i < 5; i += 1) rows.push(await ROWS[table](stores));
      const deleted = [];
      for (let i = 0; i < 4; i += 1)
        deleted.push(await stores.expiredRows.delete(table, { until: NOON, newestKept: 0 }, 2));
      expect(deleted).to.deep.equal([2, 2, 1, 0]);
      for (const isThere of rows) expect(await isThere()).to.equal(false);
    });

    it(`deletes only rows of ${table}`, async () => {
      const stores = await emptied();
      const others = [];
      for (const other of TABLES) if (other !== table) others.push(await ROWS[other](stores));
      await stores.expiredRows.delete(table, { until: LATE, newestKept: 0 }, 1_000);
      for (const isThere of others) expect(await isThere()).to.equal(true);
    });
  }

  for (const log of Object.keys(CHANGES) as Log[]) {
    /** A log with its newest change of before and five more. */
    const withSix = async () => {
      const stores = await instance();
      await stores.expiredRows.delete(log, { until: FUTURE, newestKept: 0 }, 100_000);
      for (let i = 0; i < 5; i += 1) await CHANGES[log](stores);
      return stores.expiredRows;
    };

    it(`deletes the oldest rows of ${log}, in batches, and never the newest one`, async () => {
      const expiredRows = await withSix();
      expect(await expiredRows.delete(log, { until: NOON, newestKept: 0 }, 1_000)).to.equal(0);
      const deleted = [];
      for (let i = 0; i < 4; i += 1) {
        deleted.push(await expiredRows.delete(log, { until: FUTURE, newestKept: 0 }, 2));
      }
      expect(deleted).to.deep.equal([2, 2, 1, 0]);
    });

    it(`keeps the given number of newest rows of ${log}, whatever their age`, async () => {
      const expiredRows = await withSix();
      for (const [newestKept, rows] of [
        [7, 0],
        [6, 0],
        [4, 2],
        [1, 3],
      ] as const) {
        expect(await expiredRows.delete(log, { until: FUTURE, newestKept }, 1_000)).to.equal(rows);
      }
    });
  }

  it('deletes the oldest rows first', async () => {
    const { inbox, expiredRows } = await emptied();
    const events = [1, 3, 2].map((age) => ({ age, event: receivedEvent({ fact: null }) }));
    for (const { age, event } of events) await inbox.receive(event, plus(NOON, -age * SECOND), apply);
    await expiredRows.delete('payment_event', { until: NOON, newestKept: 0 }, 1);
    const left = await Promise.all(
      events.map(async ({ age, event }) => [age, (await inbox.find(event.id)) !== null]),
    );
    expect(left).to.deep.equal([
      [1, true],
      [3, false],
      [2, true],
    ]);
  });

  it('counts from the last attempt to send a notice, whatever its outcome was', async () => {
    const { outbox, accounts, expiredRows } = await emptied();
    await anAccount(accounts, 3);
    const [first, second, third] = await outbox.claim(NOON, 10);
    await outbox.close(first?.id ?? '', 'refused');
    await outbox.close(second?.id ?? '', 'in doubt');
    await outbox.putBack(third?.id ?? '', plus(NOON, MINUTE));
    await outbox.claim(plus(NOON, HOUR), 10);
    await outbox.close(third?.id ?? '', 'sent');
    expect(
      await expiredRows.delete('notice', { until: plus(NOON, HOUR - MICROSECOND), newestKept: 0 }, 10),
    ).to.equal(2);
    expect(await expiredRows.delete('notice', { until: plus(NOON, HOUR), newestKept: 0 }, 10)).to.equal(1);
  });

  it('keeps waiting notices, those that were put back too', async () => {
    const { outbox, accounts, expiredRows } = await emptied();
    await anAccount(accounts, 2);
    const [first] = await outbox.claim(NOON, 1);
    await outbox.putBack(first?.id ?? '', plus(NOON, MINUTE));
    expect(await expiredRows.delete('notice', { until: LATE, newestKept: 0 }, 10)).to.equal(0);
    expect(await outbox.claim(LATE, 10)).to.have.length(2);
  });

  it('keeps waiting and failed payment events, and counts from the time when they were applied', async () => {
    const { inbox, expiredRows } = await emptied();
    const [waiting, failed] = [receivedEvent(), receivedEvent({ fault: 'unreadable' })];
    for (const event of [waiting, failed]) await inbox.receive(event, NOON, apply);
    expect(await expiredRows.delete('payment_event', { until: LATE, newestKept: 0 }, 10)).to.equal(0);
    const replayedAt = plus(NOON, DAY);
    await inbox.replay({ ...failed, fault: null, fact: null }, replayedAt, apply);
    expect(
      await expiredRows.delete('payment_event', { until: plus(replayedAt, -MICROSECOND), newestKept: 0 }, 10),
    ).to.equal(0);
    expect(await expiredRows.delete('payment_event', { until: replayedAt, newestKept: 0 }, 10)).to.equal(1);
    expect((await inbox.find(waiting.id))?.state).to.equal('waiting');
    expect(await inbox.find(failed.id)).to.equal(null);
  });
});
