import knex, { type Knex } from 'knex';
import pg from 'pg';
import { databaseHosts } from '../../domain/database-hosts.js';
import { momentFromPostgres } from './moment-text.js';
import { dropSession, Session } from './session.js';
import { storableValues } from './storable-texts.js';

/** The timeout of each step, in milliseconds. Without timeouts, a query to a frozen database never ends (T7). */
export type Timeouts = {
  readonly connectMs: number;
  readonly statementMs: number;
  /** Below `statementMs`, so that a statement that waits for others is told apart from one that takes long. */
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
};

/** For requests, whose clients wait for a response. */
export const REQUEST_TIMEOUTS: Timeouts = {
  connectMs: 1_000,
  statementMs: 1_000,
  lockMs: 800,
  idleInTransactionMs: 5_000,
};
/** For migrations and other long work. */
export const LONG_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  statementMs: 600_000,
  lockMs: 600_000,
  idleInTransactionMs: 600_000,
};

/** The server times out first. If it does not answer at all, the client times out this much later. */
const CLIENT_SLACK_MS = 100;

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** `timestamptz` is read as a `Moment` with microseconds (D3), `int8` as a number, exact up to 2⁵³. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return momentFromPostgres;
    if (oid === INT8) return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
} satisfies pg.CustomTypesConfig;

const VARCHAR = 1043;

/**
 * For a query with many long texts, which it returns in base64 and as `varchar`, a type that no column of our tables has. Node reads
 * base64 three times as fast as the hexadecimal digits of a `bytea`. Each text is read when its row arrives: as strings,
 * they would cost more garbage collection than that saves.
 */
export const BASE64_TEXTS = {
  types: {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === VARCHAR ? (text: string) => Buffer.from(text, 'base64') : types.getTypeParser(oid, format),
  } satisfies pg.CustomTypesConfig,
};

/**
 * Without statistics of its tables, as after a restore, Postgres overestimates the cost of a page, and compiles its query
 * just in time. That takes half a second for a query of a millisecond. Transactions are `read committed`, whatever the
 * default of the database is: every conflict is decided by locks, and a stricter level would refuse concurrent changes.
 */
const SESSION =
  '-c TimeZone=UTC -c DateStyle=ISO -c jit=off -c default_transaction_isolation=read\\ committed';

/** Settings of a connection, for knex and for a plain pg client. */
export function clientConfig(url: string, timeouts: Timeouts): pg.ClientConfig {
  const given = new URL(url);
  // Keeps the options in the URL: they can set a search path, for example.
  // Not as a parameter of its own, which a pooler may refuse.
  const lockTimeout = `-c lock_timeout=${timeouts.lockMs}`;
  const options = [given.searchParams.get('options'), SESSION, lockTimeout].filter(Boolean);
  given.searchParams.delete('options');
  // `Session` sets host and port of each connection.
  if (databaseHosts(url).length > 1) for (const name of ['host', 'port']) given.searchParams.delete(name);
  given.searchParams.delete('target_session_attrs');
  return {
    connectionString: given.href,
    options: options.join(' '),
    application_name: 'oddswire',
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.statementMs + CLIENT_SLACK_MS,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
    keepAlive: true,
    types,
  };
}

/** A connection outside a pool; it is not connected yet. */
export const newSession = (url: string, timeouts: Timeouts): Session =>
  new Session(url, clientConfig(url, timeouts));

/** A pool of connections. It opens the first connection for the first query. */
export function connect(url: string, timeouts: Timeouts, poolMax: number): Knex {
  const db = knex({
    client: 'pg',
    connection: clientConfig(url, timeouts) as Knex.PgConnectionConfig,
    // Later than the timeout of a new connection, whose error says more.
    acquireConnectionTimeout: timeouts.connectMs + CLIENT_SLACK_MS,
    pool: {
      min: 0,
      max: poolMax,
      afterCreate: (connection: pg.Client, done: (fault: Error | null) => void) => {
        dropOnTimeout(connection);
        sendStorableTexts(connection);
        done(null);
      },
    },
    // Errors are logged, and with this option on they would contain bound values, which are customer data.
    compileSqlOnError: false,
    // The caller gets every error. The other messages of knex do not help an operator.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
  });
  // The pool opens its connections with this class.
  db.client.driver = { Client: Session.bind(null, url) };
  return db;
}

/** A pool for requests, which `closing` is told how to close. */
export function requestPool(
  url: string,
  connections: number,
  { closing }: { readonly closing: (close: () => Promise<void>) => void },
): Knex {
  const db = connect(url, REQUEST_TIMEOUTS, connections);
  closing(() => disconnect(db));
  return db;
}

type Callback = (fault: (Error & { code?: string }) | null, result: unknown) => void;

/**
 * Closes a connection after a query timeout, because the next query on it would hang too. The pool then replaces it, so
 * that queries succeed as soon as the server answers again.
 */
function dropOnTimeout(client: pg.Client): void {
  const query = client.query.bind(client) as (config: unknown, callback: Callback) => unknown;
  const monitored = (config: unknown, callback: Callback) =>
    query(config, (fault, result) => {
      if (fault?.message === 'Query read timeout') dropSession(client, fault);
      callback(fault, result);
    });
  client.query = monitored as typeof client.query;
}

type Config = { readonly text: string; readonly values?: readonly unknown[] };

/**
 * Applies `storableValues` to every statement of a pool, so that stores need not handle texts that Postgres cannot
 * store.
 */
function sendStorableTexts(client: pg.Client): void {
  const query = client.query.bind(client) as (config: unknown, callback: Callback) => unknown;
  const checked = (config: Config | string, callback: Callback) =>
    typeof config === 'string' || config.values === undefined
      ? query(config, callback)
      : query({ ...config, values: storableValues(config.text, config.values) }, callback);
  client.query = checked as typeof client.query;
}

/** Closes a pool. Waits at most `withinMs` for a server that does not answer. */
export async function disconnect(db: Knex, withinMs = 2_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, withinMs);
  });
  await Promise.race([db.destroy(), late]);
  clearTimeout(timer);
}
