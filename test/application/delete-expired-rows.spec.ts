import { expect } from 'chai';
import { MemoryLeases } from '../../src/adapters/memory/memory-leases.js';
import { DeleteExpiredRows } from '../../src/application/delete-expired-rows.js';
import type { ExpiredRows } from '../../src/application/ports/expired-rows.js';
import { MICROSECOND, MINUTE, plus } from '../../src/domain/moment.js';
import { EXPIRING_TABLES, type ExpiringTable, type Expiry, expiryOf } from '../../src/domain/retention.js';
import { nextImmediate } from '../support/next-immediate.js';
import { NOON } from '../support/objects/builders.js';
import { until } from '../support/until.js';

const NEVER = new AbortController().signal;

describe('Deleting expired rows', () => {
  /** A store with this number of expired rows. */
  const storeWith = (expired: Partial<Record<ExpiringTable, number>>) => {
    const left = { ...expired };
    const calls: { readonly table: ExpiringTable; readonly expiry: Expiry; readonly count: number }[] = [];
    const store: ExpiredRows = {
      delete: async (table, expiry, count) => {
        calls.push({ table, expiry, count });
        const rows = Math.min(count, left[table] ?? 0);
        left[table] = (left[table] ?? 0) - rows;
        return rows;
      },
    };
    return { left, calls, store };
  };

  const jobOn = (expiredRows: ExpiredRows, leases = new MemoryLeases()) => {
    const clock = { at: NOON };
    const pauses: number[] = [];
    const noted: (readonly [ExpiringTable, number])[] = [];
    const job = new DeleteExpiredRows({
      leases,
      expiredRows,
      clock: () => clock.at,
      pause: async (ms) => {
        pauses.push(ms);
        await nextImmediate();
      },
      note: (...note) => void noted.push(note),
    });
    return { job, leases, clock, pauses, noted };
  };

  it('asks for each table with the time of its rule', async () => {
    const { calls, store } = storeWith({});
    await jobOn(store).job.whenDue(NEVER);
    expect(calls).to.deep.equal(
      EXPIRING_TABLES.map((table) => ({ table, expiry: expiryOf(table, NOON), count: 1_000 })),
    );
  });

  it('deletes in batches of 1 000 rows, with a pause after each full batch, and reports the sums', async () => {
    const { left, store } = storeWith({ session: 2_500, notice: 1_000 });
    const { job, pauses, noted } = jobOn(store);
    await job.whenDue(NEVER);
    expect(left).to.include({ session: 0, notice: 0 });
    expect(pauses).to.deep.equal([50, 50, 50]);
    expect(noted).to.deep.equal([
      ['session', 2_500],
      ['notice', 1_000],
    ]);
  });

  it('is due again after 10 minutes', async () => {
    const { left, store } = storeWith({ session: 1 });
    const { job, clock } = jobOn(store);
    await job.whenDue(NEVER);
    left.session = 1;
    clock.at = plus(NOON, 10 * MINUTE - MICROSECOND);
    await job.whenDue(NEVER);
    expect(left.session).to.equal(1);
    clock.at = plus(NOON, 10 * MINUTE);
    await job.whenDue(NEVER);
    expect(left.session).to.equal(0);
  });

  it('releases its lease after 100 batches, and takes it again while rows are left', async () => {
    const leases = new MemoryLeases();
    const acquired: string[] = [];
    const acquire = leases.acquire.bind(leases);
    leases.acquire = (...given) => {
      acquired.push(given[0]);
      return acquire(...given);
    };
    const { left, store } = storeWith({ session: 150_500 });
    await jobOn(store, leases).job.whenDue(NEVER);
    expect([left.session, acquired.length]).to.deep.equal([0, 2]);
  });

  it('does nothing while another instance has the lease', async () => {
    const { calls, store } = storeWith({ session: 1 });
    const { job, leases } = jobOn(store);
    const lease = await leases.acquire('delete expired rows', NOON, true);
    if (lease === null) throw new Error('the lease is taken');
    await job.whenDue(NEVER);
    expect(calls).to.deep.equal([]);
  });

  it('stops after the current batch when the process shuts down, and releases the lease', async () => {
    const { left, store } = storeWith({ session: 5_000 });
    const { job } = jobOn(store);
    const stopping = new AbortController();
    stopping.abort();
    await job.whenDue(stopping.signal);
    expect(left.session).to.equal(5_000);
    await job.whenDue(NEVER);
    expect(left.session).to.equal(0);
  });

  it('reports what it has deleted before a fault, and runs again', async () => {
    const { left, store } = storeWith({ one_time_token: 3_000 });
    let batches = 0;
    const failing: ExpiredRows = {
      delete: (...given) => {
        batches += 1;
        return batches === 3 ? Promise.reject(new Error('no answer')) : store.delete(...given);
      },
    };
    const { job, noted } = jobOn(failing);
    const fault: unknown = await job.whenDue(NEVER).catch((thrown) => thrown);
    expect(String(fault)).to.equal('Error: no answer');
    expect(noted).to.deep.equal([['one_time_token', 2_000]]);
    await job.whenDue(NEVER);
    expect(left.one_time_token).to.equal(0);
  });

  it('runs at once for the test clock, after another instance has finished', async () => {
    const { left, store } = storeWith({ session: 1 });
    const { job, leases, pauses } = jobOn(store);
    await job.whenDue(NEVER);
    left.session = 1;
    const lease = await leases.acquire('delete expired rows', NOON, true);
    if (lease === null) throw new Error('the lease is taken');
    const done = job.untilDone();
    await until(true, () => pauses.length > 0);
    expect(left.session).to.equal(1);
    await leases.release(lease, null, NOON);
    await done;
    expect(left.session).to.equal(0);
  });
});
