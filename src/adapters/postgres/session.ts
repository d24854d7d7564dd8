import pg from 'pg';
import { type DatabaseHost, databaseHosts, hostText, needsPrimary } from '../../domain/database-hosts.js';
import { NoPrimary, PrimaryChooser } from './primary-chooser.js';

/** A host has this long to answer while the primary is searched, in milliseconds. */
const PROBE_MS = 1_000;

const ROLE = `
select pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::boolean as is_read_only`;

type Role = { readonly is_standby: boolean; readonly is_read_only: boolean };

/** The open sessions of this process on one database URL, and the chooser that they share. */
class PrimarySessions {
  readonly open = new Set<Session>();
  readonly needsPrimary: boolean;
  readonly chooser: PrimaryChooser;
  readonly onMove = new Set<(to: string) => void>();

  constructor(url: string, config: pg.ClientConfig) {
    this.needsPrimary = needsPrimary(url);
    const probe = (host: DatabaseHost) => probePrimary({ ...config, ...PROBE_TIMEOUTS }, host);
    this.chooser = new PrimaryChooser(databaseHosts(url), probe, (to) => this.#move(to));
  }

  /** No statement is sent to the former primary once another one was found. */
  #move(to: DatabaseHost): void {
    for (const session of this.open) {
      if (session.at !== to) dropSession(session, new Error(`the primary is now ${hostText(to)}`));
    }
    for (const listener of this.onMove) listener(hostText(to));
  }
}

const PROBE_TIMEOUTS = {
  connectionTimeoutMillis: PROBE_MS,
  statement_timeout: PROBE_MS,
  query_timeout: PROBE_MS,
};

/** By URL: pools and connections are opened in many places, and must agree on the primary. */
const sessionsOf = new Map<string, PrimarySessions>();

export function sessionsAt(url: string, config: pg.ClientConfig): PrimarySessions {
  const found = sessionsOf.get(url) ?? new PrimarySessions(url, config);
  sessionsOf.set(url, found);
  return found;
}

/** A connection to the primary of a database URL. If the URL asks for a primary, its role is checked before the first use (D75). */
export class Session extends pg.Client {
  readonly #sessions: PrimarySessions;
  /** Null until it is connected. */
  at: DatabaseHost | null = null;

  constructor(url: string, config: pg.ClientConfig) {
    super(config);
    this.#sessions = sessionsAt(url, config);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (fault: Error) => void): void;
  override connect(callback?: (fault: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#sessions.needsPrimary ? this.#connect() : super.connect();
    if (callback === undefined) return connected;
    connected.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    const { chooser, open } = this.#sessions;
    const host = await chooser.choose();
    // Its owner gave up meanwhile. A connection that is opened now would never be closed.
    if (this.connection.stream.destroyed) throw new Error('Connection terminated unexpectedly');
    Object.assign(this, host);
    try {
      await super.connect();
      this.at = host;
      open.add(this);
      this.once('end', () => open.delete(this));
      await requirePrimary(this, host);
      return this;
    } catch (fault) {
      chooser.forget(host);
      this.connection.stream.destroy();
      throw fault;
    }
  }
}

async function probePrimary(config: pg.ClientConfig, host: DatabaseHost): Promise<void> {
  const client = new pg.Client(config);
  Object.assign(client, host);
  client.on('error', () => {});
  try {
    await client.connect();
    await requirePrimary(client, host);
  } finally {
    client.connection.stream.destroy();
  }
}

async function requirePrimary(client: pg.Client, host: DatabaseHost): Promise<void> {
  const { rows } = await client.query<Role>(ROLE);
  const refused = 'and the service needs the primary (target_session_attrs=read-write)';
  if (rows[0]?.is_standby) throw new NoPrimary(`${hostText(host)} is a standby, ${refused}`);
  if (rows[0]?.is_read_only) throw new NoPrimary(`${hostText(host)} is read-only, ${refused}`);
}

/** Sets the mark of knex for a session that must not be used again: the pool closes it when it comes back. */
export function disposeSession(client: pg.Client, fault: Error): void {
  Object.assign(client, { __knex__disposed: fault });
}

/** Marks the session first. The `end` event of its socket comes later, and until then the pool could use it again. */
export function dropSession(client: pg.Client, fault: Error): void {
  disposeSession(client, fault);
  client.connection.stream.destroy();
}
