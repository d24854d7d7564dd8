import pg from 'pg';
import { type DatabaseHost, databaseHosts, hostText, needsPrimary } from '../../domain/database-hosts.js';
import {
  type KnownTimelines,
  type ServerHistory,
  serverVerdict,
  withTimelines,
} from '../../domain/former-primary.js';
import { FormerPrimary, HostAnswers } from './host-answers.js';
import { NoPrimary, PrimaryChooser } from './primary-chooser.js';
import { readServerHistory } from './server-history.js';

/** A host has this long to answer while the primary is searched, in milliseconds. */
const PROBE_MS = 1_000;

const ROLE = `
select pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::boolean as is_read_only`;

type Role = { readonly is_standby: boolean; readonly is_read_only: boolean };

/** A server was promoted: sessions with a smaller timeline of its system are with a former primary (D75). */
export type Promotion = {
  readonly from: number;
  readonly to: number;
  /** The sessions with the former primary, which were closed. */
  readonly closed: number;
};

/** The open sessions of this process on one database URL, and what they share: the chooser, and the timelines that were seen. */
class PrimarySessions {
  readonly open = new Set<Session>();
  readonly needsPrimary: boolean;
  readonly chooser: PrimaryChooser;
  readonly onMove = new Set<(to: string) => void>();
  readonly onPromotion = new Set<(promotion: Promotion) => void>();
  readonly answers: HostAnswers;
  readonly #hosts: readonly DatabaseHost[];
  readonly #config: pg.ClientConfig;
  #known: KnownTimelines = new Map();

  constructor(url: string, config: pg.ClientConfig) {
    this.needsPrimary = needsPrimary(url);
    this.#config = { ...config, ...PROBE_TIMEOUTS };
    const hosts = databaseHosts(url);
    this.#hosts = hosts;
    this.answers = new HostAnswers(hosts);
    this.chooser = new PrimaryChooser(
      hosts,
      (host) => this.#probe(host),
      (to) => this.#move(to),
    );
  }

  get known(): KnownTimelines {
    return this.#known;
  }

  /** Throws `FormerPrimary` if the server of a new session with this host is one. */
  admit(host: DatabaseHost, history: ServerHistory | null): void {
    const former = this.#formerPrimary(history);
    this.answers.note(host, former ?? 'usable');
    if (former !== null) throw former;
  }

  /** Closes the sessions that are with a former primary, as these timelines show, which this or another instance has seen. */
  learn(seen: Iterable<readonly [system: string, timeline: number]>): void {
    const before = this.#known;
    this.#known = withTimelines(before, seen);
    for (const [system, to] of this.#known) {
      const from = before.get(system);
      if (from !== undefined && from !== to) this.#fence({ system, from, to });
    }
  }

  /** Asks each host once, on a new session. A proxy or a name can lead it to another server than the open sessions. */
  async askHosts(): Promise<void> {
    await Promise.allSettled(this.#hosts.map((host) => this.#probe(host)));
  }

  /**
   * No idle session is used again, in whatever pool it is. A session in use is closed after its use. A session that began read-only
   * stays read-only, and may be connected to the former primary: it would refuse writes long after a failover.
   */
  renew(): void {
    for (const session of this.open) disposeSession(session, new Error('the session is renewed'));
  }

  async #probe(host: DatabaseHost): Promise<void> {
    const client = new pg.Client(this.#config);
    if (this.needsPrimary) Object.assign(client, host);
    client.on('error', () => {});
    try {
      await client.connect();
      if (this.needsPrimary) await requirePrimary(client, host);
      this.admit(host, await readServerHistory(client));
    } catch (fault) {
      if (!(fault instanceof FormerPrimary)) this.answers.note(host, 'unusable');
      throw fault;
    } finally {
      client.connection.stream.destroy();
    }
  }

  #formerPrimary(history: ServerHistory | null): FormerPrimary | null {
    if (history === null || history.timeline === null) return null;
    const { system, timeline } = history;
    this.learn([[system, timeline]]);
    if (serverVerdict(this.#known, history) !== 'former') return null;
    return new FormerPrimary(timeline, this.#known.get(system) ?? timeline);
  }

  /** Sessions in use are closed too: a write that is under way there must not be acknowledged. */
  #fence({
    system,
    from,
    to,
  }: {
    readonly system: string;
    readonly from: number;
    readonly to: number;
  }): void {
    this.chooser.forgetAll();
    const fault = new NoPrimary(`it is a former primary (the current timeline is ${to})`);
    let closed = 0;
    for (const session of this.open) {
      const { history } = session;
      if (history?.system === system && history.timeline === to) continue;
      disposeSession(session, fault);
      if (serverVerdict(this.#known, history) !== 'former') continue;
      dropSession(session, fault);
      closed += 1;
    }
    for (const listener of this.onPromotion) listener({ from, to, closed });
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

/**
 * A connection to a database URL. Before the first use, it is checked that its server is not a former primary, and, if the URL asks
 * for a primary, that it is one (D75).
 */
export class Session extends pg.Client {
  readonly #sessions: PrimarySessions;
  /** Null until it is connected. */
  at: DatabaseHost | null = null;
  history: ServerHistory | null = null;

  constructor(url: string, config: pg.ClientConfig) {
    super(config);
    this.#sessions = sessionsAt(url, config);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (fault: Error) => void): void;
  override connect(callback?: (fault: Error) => void): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    const { chooser, open, needsPrimary: isChosen } = this.#sessions;
    const host = await chooser.choose();
    // Its owner gave up meanwhile. A connection that is opened now would never be closed.
    if (this.connection.stream.destroyed) throw new Error('Connection terminated unexpectedly');
    if (isChosen) Object.assign(this, host);
    try {
      await super.connect();
      this.at = host;
      open.add(this);
      this.once('end', () => open.delete(this));
      if (isChosen) await requirePrimary(this, host);
      this.history = await readServerHistory(this);
      this.#sessions.admit(host, this.history);
      return this;
    } catch (fault) {
      chooser.forget(host);
      this.connection.stream.destroy();
      throw fault;
    }
  }
}

async function requirePrimary(client: pg.Client, host: DatabaseHost): Promise<void> {
  const { rows } = await client.query<Role>(ROLE);
  const refused = 'and the service needs the primary (target_session_attrs=read-write)';
  if (rows[0]?.is_standby) throw new NoPrimary(`${hostText(host)} is a standby, ${refused}`);
  if (rows[0]?.is_read_only) throw new NoPrimary(`${hostText(host)} is read-only, ${refused}`);
}

/** Sets the mark of knex for a session that must not be used again: the pool closes it when it comes back. */
function disposeSession(client: pg.Client, fault: Error): void {
  Object.assign(client, { __knex__disposed: fault });
}

/** Marks the session first. The `end` event of its socket comes later, and until then the pool could use it again. */
export function dropSession(client: pg.Client, fault: Error): void {
  disposeSession(client, fault);
  client.connection.stream.destroy();
}
