import knex, { type Knex } from 'knex';
import pg from 'pg';
import { momentFromPostgres } from './moment-text.js';
import { storableValues } from './storable-texts.js';

/** How long each step may take, in milliseconds; without these a frozen database holds a query for ever (T7). */
export type Patience = {
  readonly connectMs: number;
  readonly statementMs: number;
  readonly idleInTransactionMs: number;
};

/** For requests: somebody waits for the answer. */
export const REQUEST_PATIENCE: Patience = {
  connectMs: 1_000,
  statementMs: 1_000,
  idleInTransactionMs: 5_000,
};
/** For migrations and other work that may take its time. */
export const LONG_PATIENCE: Patience = {
  connectMs: 5_000,
  statementMs: 600_000,
  idleInTransactionMs: 600_000,
};

/** The server gives up first; where it does not answer at all, the client does so a little later. */
const CLIENT_SLACK_MS = 100;

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** Moments arrive in their one form, to the microsecond (D3); counts as numbers, exact up to 2⁵³. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return momentFromPostgres;
    if (oid === INT8) return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

/** Settings of a connection, for knex and for a client of its own. */
export function clientConfig(url: string, patience: Patience): pg.ClientConfig {
  const given = new URL(url);
  // Options of the address are kept: a search path, for one, can be given there.
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

/** A pool of connections; nothing is opened before the first query. */
export function connect(url: string, patience: Patience, poolMax: number): Knex {
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
        dropWhenLate(connection);
        sendStorableTexts(connection);
        done(null);
      },
    },
    // A fault can be logged, and what is bound to a statement is data of customers.
    compileSqlOnError: false,
    // Faults reach whoever asked; what is left for knex to say tells a user nothing.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
  });
  sessionsOf.set(db, sessions);
  return db;
}

type Callback = (fault: (Error & { code?: string }) | null, result: unknown) => void;

/**
 * A connection whose answer is late is not used again: what waits behind a hung query would hang too.
 * With its socket gone the pool drops it, so that everything is back as soon as the server is.
 */
function dropWhenLate(client: pg.Client): void {
  const query = client.query.bind(client) as (config: unknown, callback: Callback) => unknown;
  const watched = (config: unknown, callback: Callback) =>
    query(config, (fault, result) => {
      if (fault?.message === 'Query read timeout') drop(client, fault);
      callback(fault, result);
    });
  client.query = watched as typeof client.query;
}

type Config = { readonly text: string; readonly values?: readonly unknown[] };

/** Every statement of a pool passes here: no store has to think of texts that Postgres cannot store. */
function sendStorableTexts(client: pg.Client): void {
  const query = client.query.bind(client) as (config: unknown, callback: Callback) => unknown;
  const checked = (config: Config | string, callback: Callback) =>
    typeof config === 'string' || config.values === undefined
      ? query(config, callback)
      : query({ ...config, values: storableValues(config.text, config.values) }, callback);
  client.query = checked as typeof client.query;
}

/** The sessions that each pool has open. */
const sessionsOf = new WeakMap<Knex, ReadonlySet<pg.Client>>();

/**
 * Has a pool use none of its present sessions again. A session that began read-only stays so, and may lead to a server
 * that was the primary before: it would refuse writes long after a failover.
 */
export function renewSessions(db: Knex): void {
  for (const session of sessionsOf.get(db) ?? []) giveUp(session, new Error('the session is renewed'));
}

/** As knex marks it: the pool closes it when it comes back, and gives it to nobody else. */
function giveUp(client: pg.Client, fault: Error): void {
  Object.assign(client, { __knex__disposed: fault });
}

/** Marked first: the end of a socket is told a little later, and the pool must know now. */
function drop(client: pg.Client, fault: Error): void {
  giveUp(client, fault);
  client.connection.stream.destroy();
}

/** Closes a pool, and does not wait for a server that says nothing. */
export async function disconnect(db: Knex, withinMs = 2_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, withinMs);
  });
  await Promise.race([db.destroy(), late]);
  clearTimeout(timer);
}
