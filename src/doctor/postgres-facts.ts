import type pg from 'pg';
import {
  clientConfig,
  connect,
  disconnect,
  REQUEST_TIMEOUTS,
  type Timeouts,
} from '../adapters/postgres/connection.js';
import { missingGrants } from '../adapters/postgres/needed-grants.js';
import { Session } from '../adapters/postgres/session.js';
import { codeOf, READ_ONLY } from '../adapters/postgres/unavailable-database.js';
import { faultOf } from './fault.js';
import type { ClockComparison } from './rules/clock-difference.js';
import type { IsolationLevels } from './rules/isolation-level.js';
import type { ReplicaFacts } from './rules/replica-history.js';
import type { WriteFacts } from './rules/write-finding.js';
import { compareClock } from './server-clock.js';

/** SQLSTATE of a missing table. */
const NO_TABLE = '42P01';

/** Longer than those of requests: the answer of a busy database says more than a timeout. Each check has 5 s. */
const TIMEOUTS: Timeouts = { ...REQUEST_TIMEOUTS, connectMs: 4_000, statementMs: 4_000 };

export type ReachedPostgres = {
  readonly version: string;
  readonly isStandby: boolean;
  readonly clock: ClockComparison;
};

export const reachPostgres = (url: string): Promise<ReachedPostgres> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ version: string; is_standby: boolean }>(
      "select current_setting('server_version') as version, pg_is_in_recovery() as is_standby",
    );
    const clock = await compareClock(async () => {
      const { rows: clocks } = await client.query<{ ms: string }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::text as ms',
      );
      return Number(clocks[0]?.ms);
    });
    return { version: rows[0]?.version ?? 'unknown', isStandby: rows[0]?.is_standby === true, clock };
  });

/** D121: if the tables exist, writes to the row of the test clock what it has already, and rolls back. */
export async function writeFacts(url: string, isStandby: boolean, hasTables: boolean): Promise<WriteFacts> {
  const missing = hasTables && !isStandby ? await grantsMissing(url) : [];
  return withClient(url, async (client) => {
    const facts = { isStandby, missingGrants: missing, isReadOnly: false, fault: null };
    const { rows } = await client.query<{ is_read_only: boolean }>(
      "select current_setting('transaction_read_only')::boolean as is_read_only",
    );
    if (rows[0]?.is_read_only === true) return { ...facts, isReadOnly: true };
    if (!hasTables) return facts;
    try {
      await client.query(
        `begin; set local lock_timeout = '500ms';
         update test_clock set offset_micros = offset_micros; rollback`,
      );
      return facts;
    } catch (fault) {
      return { ...facts, isReadOnly: codeOf(fault) === READ_ONLY, fault: faultOf(fault).message };
    }
  });
}

async function grantsMissing(url: string): Promise<readonly string[]> {
  const db = connect(url, TIMEOUTS, 1);
  try {
    return await missingGrants(db);
  } finally {
    await disconnect(db);
  }
}

type LastChange = { readonly n: number; readonly mark: string | null; readonly is_standby: boolean };

const LAST_CHANGE = `
select n, encode(mark, 'hex') as mark, pg_is_in_recovery() as is_standby
from feed_change order by n desc limit 1`;

/** Null if a feed log is empty or missing. The replica is read first: the primary then has all changes of the replica. */
export async function replicaFacts(replicaUrl: string, primaryUrl: string): Promise<ReplicaFacts | null> {
  try {
    return await comparedLogs(replicaUrl, primaryUrl);
  } catch (fault) {
    if (codeOf(fault) === NO_TABLE) return null;
    throw fault;
  }
}

async function comparedLogs(replicaUrl: string, primaryUrl: string): Promise<ReplicaFacts | null> {
  const last = await withClient(replicaUrl, async (client) => {
    const { rows } = await client.query<LastChange>(LAST_CHANGE);
    return rows[0];
  });
  if (last === undefined) return null;
  return withClient(primaryUrl, async (client) => {
    const { rows } = await client.query<{ last: number; oldest: number }>(
      'select (select max(n) from feed_change) as last, (select min(n) from feed_change) as oldest',
    );
    const { rows: there } = await client.query<{ mark: string | null }>(
      "select encode(mark, 'hex') as mark from feed_change where n = $1",
      [last.n],
    );
    const [ends] = rows;
    if (ends === undefined) return null;
    const primary = { lastChange: ends.last, oldestChange: ends.oldest, markThere: there[0]?.mark };
    return { isStandby: last.is_standby, lastChange: last.n, mark: last.mark, primary };
  });
}

/** The number of the timeline, which a failover increases; null if the engine has none, or the role may not read it. */
export const timelineOf = (url: string): Promise<number | null> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ timeline: number }>(
      'select timeline_id as timeline from pg_control_checkpoint()',
    );
    return rows[0]?.timeline ?? null;
  }).catch(() => null);

/** The options of a session of the service set its level. Those in the URL are the operator's own. */
export async function isolationLevels(url: string): Promise<IsolationLevels> {
  const level = async (client: pg.Client) =>
    (await client.query<{ level: string }>("select current_setting('transaction_isolation') as level"))
      .rows[0]?.level ?? 'unknown';
  const { options: _, ...withoutOptions } = clientConfig(url, TIMEOUTS);
  return {
    ofService: await withClient(url, level),
    ofDatabase: await withClient(url, level, withoutOptions),
  };
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  config: pg.ClientConfig = clientConfig(url, TIMEOUTS),
): Promise<Result> {
  const client = new Session(url, config);
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    void client.end().catch(() => {});
  }
}
