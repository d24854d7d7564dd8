import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { EngineBehaviour } from '../../findings/engine-behaviour.js';
import { newSession, REQUEST_TIMEOUTS } from '../connection.js';
import { codeOf, NO_PERMISSION, READ_ONLY } from '../unavailable-database.js';

/** A notification arrives within a millisecond. This is the time for a server that is very busy. */
const NOTIFIED_WITHIN_MS = 1_000;
const POLL_EVERY_MS = 10;
const LOCK_TIMEOUT = '300ms';

/** SQLSTATEs of an engine that does not know a statement: syntax, an unknown function or type, an unsupported feature. */
const UNKNOWN = /^(42601|42883|42704|0A000)$/;
/** SQLSTATEs of a statement that waited for a lock. */
const WAITED = /^(55P03|57014)$/;
/** A table that does not exist yet. */
const NO_TABLE = '42P01';

/** Each takes five round trips. */
const SESSION_ROUNDS = 5;

/** A row that exists since the first migration, and that no request of a customer locks. */
const LOCK_ROW = 'select from test_clock for update skip locked';

/**
 * Observes on two connections what an engine does, instead of trusting its version. It stores nothing. Throws the error of
 * the database if it does not answer.
 */
export async function engineBehaviour(url: string): Promise<EngineBehaviour> {
  const [first, second] = [newSession(url, REQUEST_TIMEOUTS), newSession(url, REQUEST_TIMEOUTS)];
  const clients = [first, second];
  for (const client of clients) client.on('error', () => {});
  try {
    await Promise.all(clients.map((client) => client.connect()));
    const sessions = await observeSessions(first, second);
    const locks = await observeLocks(first, second);
    const notifications = await observeNotifications(first, second);
    const timestamps = await observeTimestamps(first);
    const skipLocked = await observeSkipLocked(first, second);
    return { sessions, locks, notifications, timestamps, skipLocked };
  } finally {
    for (const client of clients) void client.end().catch(() => {});
  }
}

/**
 * A pooler in transaction mode gives a connection any free session. While one is busy, it must give another one. Several
 * rounds, because it gives the same one by chance, more often while other clients use the pooler.
 */
async function observeSessions(first: pg.Client, second: pg.Client): Promise<EngineBehaviour['sessions']> {
  return unlessUnknown<EngineBehaviour['sessions']>('separate', async () => {
    for (let round = 0; round < SESSION_ROUNDS; round += 1) {
      const before = await sessionOf(first);
      await second.query('begin');
      const other = await sessionOf(second);
      const after = await sessionOf(first);
      await second.query('rollback');
      if (before !== after || before === other) return 'shared';
    }
    return 'separate';
  });
}

async function sessionOf(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query<{ pid: unknown }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** The migrations hold a lock for a session, publications for a transaction. Each must exclude and must be freed. */
async function observeLocks(first: pg.Client, second: pg.Client): Promise<EngineBehaviour['locks']> {
  const [ofSession, ofTransaction] = [newLock(), newLock()];
  return unlessUnknown<EngineBehaviour['locks']>('missing', async () => {
    const isTaken = await takes(first, 'pg_try_advisory_lock', ofSession);
    const isExcluded = !(await takes(second, 'pg_try_advisory_lock', ofSession));
    await first.query('select pg_advisory_unlock($1::bigint)', [ofSession]);
    const isFreed = await takes(second, 'pg_try_advisory_lock', ofSession);
    await first.query('begin');
    const isTakenHere = await takes(first, 'pg_try_advisory_xact_lock', ofTransaction);
    const isExcludedHere = !(await takes(second, 'pg_try_advisory_xact_lock', ofTransaction));
    await first.query('rollback');
    const isFreedHere = await takes(second, 'pg_try_advisory_xact_lock', ofTransaction);
    const asNeeded = [isTaken, isExcluded, isFreed, isTakenHere, isExcludedHere, isFreedHere];
    return asNeeded.every(Boolean) ? 'exclude' : 'do not exclude';
  });
}

/** Random, so that instances that start together do not exclude each other. */
const newLock = (): string => randomBytes(8).readBigInt64BE().toString();

async function takes(
  client: pg.Client,
  kind: 'pg_try_advisory_lock' | 'pg_try_advisory_xact_lock',
  lock: string,
): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select ${kind}($1::bigint) as taken`, [lock]);
  return rows[0]?.taken === true;
}

async function observeNotifications(
  first: pg.Client,
  second: pg.Client,
): Promise<EngineBehaviour['notifications']> {
  const channel = `oddswire_check_${randomUUID().replaceAll('-', '')}`;
  let hasArrived = false;
  const onNotification = (message: pg.Notification) => {
    hasArrived ||= message.channel === channel;
  };
  first.on('notification', onNotification);
  try {
    return await unlessUnknown<EngineBehaviour['notifications']>('missing', async () => {
      await first.query(`listen ${channel}`);
      await second.query("select pg_notify($1, '')", [channel]);
      // A server sends notifications at the latest with the answer to the next query of the connection that listens.
      for (let waited = 0; !hasArrived && waited < NOTIFIED_WITHIN_MS; waited += POLL_EVERY_MS) {
        await first.query('select 1');
        if (!hasArrived) await setTimeout(POLL_EVERY_MS);
      }
      return hasArrived ? 'arrive' : 'do not arrive';
    });
  } catch (fault) {
    if (codeOf(fault) === READ_ONLY) return 'not checked';
    throw fault;
  } finally {
    first.off('notification', onNotification);
  }
}

async function observeTimestamps(client: pg.Client): Promise<EngineBehaviour['timestamps']> {
  const { rows } = await client.query<{ at: string }>(
    "select timestamptz '2026-01-01 00:00:00.123456+00' + interval '1 microsecond' as at",
  );
  return rows[0]?.at === '2026-01-01T00:00:00.123457Z' ? 'keep microseconds' : 'lose microseconds';
}

/** While a connection, here or of another instance, holds the row, a connection must get no row and must not wait. */
async function observeSkipLocked(
  first: pg.Client,
  second: pg.Client,
): Promise<EngineBehaviour['skipLocked']> {
  try {
    return await unlessUnknown<EngineBehaviour['skipLocked']>('missing', async () => {
      for (const client of [first, second])
        await client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}'`);
      const { rowCount: held } = await first.query(LOCK_ROW);
      // Another instance that starts now holds the row, and the first connection has skipped it. The second one could get
      // it, because the other instance frees it at once.
      if (held === 0) return 'skips';
      const { rowCount } = await second.query(LOCK_ROW);
      return rowCount === 0 ? 'skips' : 'does not skip';
    });
  } catch (fault) {
    const code = String(codeOf(fault));
    if (WAITED.test(code)) return 'does not skip';
    if ([NO_TABLE, READ_ONLY, NO_PERMISSION].includes(code)) return 'not checked';
    throw fault;
  } finally {
    for (const client of [first, second]) await client.query('rollback').catch(() => {});
  }
}

async function unlessUnknown<Behaviour>(
  missing: Behaviour,
  observe: () => Promise<Behaviour>,
): Promise<Behaviour> {
  try {
    return await observe();
  } catch (fault) {
    if (UNKNOWN.test(String(codeOf(fault)))) return missing;
    throw fault;
  }
}
