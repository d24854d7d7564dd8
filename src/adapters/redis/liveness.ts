const TICK_EVERY_MS = 100;
/** A connection is pinged after this many ticks without an answer to a ping. */
const PING_AFTER = 4;
/** A connection that does not answer for more than this many ticks is given up. */
const SILENT_MAX = 10;
/** The same while it is being opened. More than one attempt: its timeout is 500 ms, and 600 ms may pass before it. */
const OPENING_MAX = 20;
/** A connection that was given up while it was being opened may be in a pause between two attempts, of 600 ms at most. */
const PAUSE_TICKS = 7;

/** What the client of one server, or of one node of a cluster, offers. `connect` may be called again after `destroy`. */
export type Connection = {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  ping(): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'ready' | 'error', listener: () => void): unknown;
};

/**
 * Who opens a connection. `caller`: its failed attempts to connect are repeated without end. `cluster`: the client of a cluster
 * opens it, drops it if it was never ready and is given up, and opens another one when it needs it. After a connection was
 * lost, failed attempts tell that client to look for another node, so they are left alone.
 */
export type OpenedBy = 'caller' | 'cluster';

/**
 * Gives up each connection on which no answer arrives, and opens it again. Otherwise a connection that a network has dropped
 * without notice, or whose server is frozen, would fail every call for minutes.
 *
 * It replaces the `socketTimeout` of the library, which closes healthy connections after a pause of this process, before
 * their answers are read (T6, T17). This counts ticks instead of time: a pause is one late tick, and the event loop reads
 * the sockets between two ticks. The library also counts a write as activity, so that a silent connection on which the
 * service keeps writing would never time out.
 */
export class LivenessMonitor {
  readonly #connections: () => Iterable<Connection>;
  readonly #openedBy: OpenedBy;
  #livenesses: ReadonlyMap<Connection, Liveness> = new Map();
  readonly #timer: NodeJS.Timeout;

  /** `connections` returns the connections that exist now. One that it does not return any more is left alone. */
  constructor(connections: () => Iterable<Connection>, openedBy: OpenedBy) {
    this.#connections = connections;
    this.#openedBy = openedBy;
    this.#timer = setInterval(() => this.#tick(), TICK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Gives up each open connection, and opens it again: the name of the server is resolved again. */
  reopen(): void {
    for (const liveness of this.#livenesses.values()) liveness.reopen();
  }

  #tick(): void {
    const known = this.#livenesses;
    const current = [...this.#connections()].map(
      (each) => [each, known.get(each) ?? new Liveness(each, this.#openedBy)] as const,
    );
    this.#livenesses = new Map(current);
    for (const [, liveness] of current) liveness.tick();
  }
}

/** The liveness of one connection. */
class Liveness {
  readonly #connection: Connection;
  readonly #isOfCluster: boolean;
  #silentTicks = 0;
  #isPinged = false;
  #wasReady = false;
  /** The ticks until a connection that was given up is opened again; null if it was not given up. */
  #reopensIn: number | null = null;

  constructor(connection: Connection, openedBy: OpenedBy) {
    this.#connection = connection;
    this.#isOfCluster = openedBy === 'cluster';
    const progress = () => {
      this.#silentTicks = 0;
    };
    connection.on('ready', progress);
    // A failed attempt to connect. The library repeats it.
    if (!this.#isOfCluster) connection.on('error', progress);
  }

  tick(): void {
    if (this.#reopensIn !== null) this.#openAgain(this.#reopensIn - 1);
    const { isOpen, isReady } = this.#connection;
    if (!isOpen) return;
    this.#wasReady ||= isReady;
    if (this.#isOfCluster && this.#wasReady && !isReady) return;
    this.#silentTicks += 1;
    if (this.#silentTicks > (isReady ? SILENT_MAX : OPENING_MAX)) this.#giveUp();
    else if (isReady && !this.#isPinged && this.#silentTicks >= PING_AFTER) this.#ping();
  }

  reopen(): void {
    if (this.#connection.isReady) this.#giveUp();
  }

  /** A rejected ping is no answer: the connection was lost, or the queue of commands is full. */
  #ping(): void {
    this.#isPinged = true;
    this.#connection
      .ping()
      .then(
        () => {
          this.#silentTicks = 0;
        },
        () => {},
      )
      .finally(() => {
        this.#isPinged = false;
      });
  }

  /** All waiting commands fail. It is opened again at a later tick, because the library ends its attempts only then. */
  #giveUp(): void {
    this.#reopensIn = this.#isOfCluster && !this.#wasReady ? PAUSE_TICKS : 1;
    this.#silentTicks = 0;
    this.#connection.destroy();
  }

  #openAgain(inTicks: number): void {
    this.#reopensIn = inTicks > 0 ? inTicks : null;
    if (inTicks > 0) return;
    // The library repeats failed attempts. It rejects only if the connection is destroyed or was opened by another caller.
    if (!this.#connection.isOpen) this.#connection.connect().catch(() => {});
  }
}
