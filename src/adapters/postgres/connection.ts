import knex, { type Knex } from 'knex';
import pg from 'pg';
import { momentFromPostgres } from './moment-text.js';
import { storableValues } from './storable-texts.js';

/** The timeout of each step, in milliseconds. Without them a query to a frozen database never ends (T7). */
export type Timeouts = {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
};

/** For requests: a client waits for the answer. */
export const REQUEST_TIMEOUTS: Timeouts = {
  connectMs: 1_000,
  statementMs: 1_000,
  idleInTransactionMs: 5_000,
};
/** For migrations and other long work. */
export const LONG_TIMEOUTS: Timeouts = {
  connectMs: 5_000,
  statementMs: 600_000,
  idleInTransactionMs: 600_000,
};

/** The server times out first. If it does not answer at all, the client times out this much later. */
const CLIENT_SLACK_MS = 100;

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** `timestamptz` is read as a `Moment` with microseconds (D3), `int8` as a number, exact up to 2⁵³. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return momentFromPostgres;
    if (oid === INT8) return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

/** Settings of a connection, for knex and for a plain pg client. */
export function clientConfig(url: string, patience: Timeouts): pg.ClientConfig {
  const given = new URL(url);
  // Keeps the options in the URL: they can set a search path, for example.
  const options = [given.searchParams.get('options'), '-c TimeZone=UTC -c DateStyle=ISO'].filter(Boolean);
  given.searchParams.delete('options');
  return {
    connectionString: given.href,
    options: options.join(' '),
    application_name: 'oddswire',
    connectionTimeoutMillis: patience.connectMs,
    statement_timeout: patience.statementMs,
    query_timeout: patience.statementMs + CLIENT_SLACK_MS,
    idle_in_transaction_session_timeout: patience.idleInTransactionMs,
    keepAlive: true,
    types,
  };
}

/** A pool of connections. It opens the first connection for the first query. */
export function connect(url: string, patience: Timeouts, poolMax: number): Knex {
  const sessions = new Set<pg.Client>();
  const db = knex({
    client: 'pg',
    connection: clientConfig(url, patience) as Knex.PgConnectionConfig,
    acquireConnectionTimeout: patience.connectMs,
    pool: {
      min: 0,
      max: poolMax,
      afterCreate: (connection: pg.Client, done: (fault: Error | null) => void) => {
        sessions.add(connection);
        connection.once('end', () => sessions.delete(connection));
        dropOnTimeout(connection);
        sendStorableTexts(connection);
        done(null);
      },
    },
    // Errors are logged, and bound values are customer data.
    compileSqlOnError: false,
    // The caller gets every error. The other messages of knex do not help an operator.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
  });
  sessionsOf.set(db, sessions);
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
      if (fault?.message === 'Query read timeout') drop(client, fault);
      callback(fault, result);
    });
  client.query = monitored as typeof client.query;
}

type Config = { readonly text: string; readonly values?: readonly unknown[] };

/** Checks every statement of a pool, so that stores need not handle texts that Postgres cannot store. */
function sendStorableTexts(client: pg.Client): void {
  const query = client.query.bind(client) as (config: unknown, callback: Callback) => unknown;
  const checked = (config: Config | string, callback: Callback) =>
    typeof config === 'string' || config.values === undefined
      ? query(config, callback)
      : query({ ...config, values: storableValues(config.text, config.values) }, callback);
  client.query = checked as typeof client.query;
}

/** The open sessions of each pool. */
const sessionsOf = new WeakMap<Knex, ReadonlySet<pg.Client>>();

/**
 * Makes a pool replace all its present sessions; one in use is replaced after use. A session that began read-only stays
 * read-only, and may be connected to the former primary: it would refuse writes long after a failover.
 */
export function renewSessions(db: Knex): void {
  for (const session of sessionsOf.get(db) ?? []) dispose(session, new Error('the session is renewed'));
}

/** Sets the mark that knex uses: the pool closes the session on its return and does not hand it out again. */
function dispose(client: pg.Client, fault: Error): void {
  Object.assign(client, { __knex__disposed: fault });
}

/** Marks the session first: the `end` event of its socket comes later, and the pool must know now. */
function drop(client: pg.Client, fault: Error): void {
  dispose(client, fault);
  client.connection.stream.destroy();
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
