const TICK_EVERY_MS = 100;
/** A connection is pinged after this many ticks without an answer to a ping. */
const PING_AFTER = 4;
/** A connection that does not answer for more than this many ticks is given up. */
const SILENT_MAX = 10;
/** The same while it is being opened. More than one attempt: its timeout is 500 ms, and 600 ms may pass before it. */
const OPENING_MAX = 20;
/** A connection with an answer in this number of ticks answers. A ping begins after four. */
const ANSWERING_MAX = 5;

/** What the client of one server offers. `connect` may be called again after `destroy`. */
export type Connection = {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  ping(): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'ready' | 'error', listener: (fault: unknown) => void): unknown;
};

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
  #livenesses: ReadonlyMap<Connection, Liveness> = new Map();
  readonly #timer: NodeJS.Timeout;

  /** `connections` returns the connections that exist now. One that it does not return any more is left alone. */
  constructor(connections: () => Iterable<Connection>) {
    this.#connections = connections;
    this.#timer = setInterval(() => this.#tick(), TICK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Gives up each open connection, and opens it again: the name of the server is resolved again. */
  reopen(): void {
    for (const liveness of this.#follow().values()) liveness.reopen();
  }

  /** Whether a connection is open and answered its last ping. */
  isAnswering(connection: Connection): boolean {
    return connection.isReady && this.#livenesses.get(connection)?.isSilent !== true;
  }

  #tick(): void {
    for (const liveness of this.#follow().values()) liveness.tick();
  }

  /** The connections that exist now: one may have been added since the last tick. */
  #follow(): ReadonlyMap<Connection, Liveness> {
    const known = this.#livenesses;
    const current = [...this.#connections()];
    this.#livenesses = new Map(current.map((each) => [each, known.get(each) ?? new Liveness(each)]));
    return this.#livenesses;
  }
}

/** The liveness of one connection. */
class Liveness {
  readonly #connection: Connection;
  #silentTicks = 0;
  #isPinged = false;
  #isGivenUp = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    const progress = () => {
      this.#silentTicks = 0;
    };
    connection.on('ready', progress);
    // A failed attempt to connect. The library repeats it.
    connection.on('error', progress);
  }

  get isSilent(): boolean {
    return this.#silentTicks > ANSWERING_MAX;
  }

  tick(): void {
    if (this.#isGivenUp) this.#openAgain();
    const { isOpen, isReady } = this.#connection;
    if (!isOpen) return;
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
    this.#isGivenUp = true;
    this.#silentTicks = 0;
    this.#connection.destroy();
  }

  #openAgain(): void {
    this.#isGivenUp = false;
    // The library repeats failed attempts. It rejects only if the connection is destroyed or was opened by another caller.
    if (!this.#connection.isOpen) this.#connection.connect().catch(() => {});
  }
}
