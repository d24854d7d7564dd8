const TICK_EVERY_MS = 100;
/** A connection is pinged after this many ticks without an answer to a ping. */
const PING_AFTER = 4;
/** A connection that does not answer for this many ticks is given up. */
const SILENT_MAX = 10;
/** The same while it is being opened. More than one attempt: its timeout is 500 ms, and 600 ms may pass before it. */
const OPENING_MAX = 20;

/** What the client of one server offers. `connect` may be called again after `destroy`. */
type Connection = {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  ping(): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'ready' | 'error', listener: () => void): unknown;
};

/**
 * Gives up a connection on which no answer arrives, and opens it again. Otherwise a connection that a network has dropped
 * without notice would fail every call for minutes.
 *
 * It replaces the `socketTimeout` of the library, which closes healthy connections after a pause of this process, before
 * their answers are read (T6, T17). This counts ticks instead of time: a pause is one late tick, and the event loop reads
 * the sockets between two ticks. The library also counts a write as activity, so that a silent connection on which the
 * service keeps writing would never time out.
 */
export class Liveness {
  readonly #connection: Connection;
  #silentTicks = 0;
  #isPinged = false;
  #isGivenUp = false;
  readonly #timer: NodeJS.Timeout;

  constructor(connection: Connection) {
    this.#connection = connection;
    const progress = () => {
      this.#silentTicks = 0;
    };
    connection.on('ready', progress);
    // A failed attempt to connect. The library repeats it.
    connection.on('error', progress);
    this.#timer = setInterval(() => this.#tick(), TICK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (this.#isGivenUp) this.#reopen();
    if (!this.#connection.isOpen) return;
    this.#silentTicks += 1;
    const { isReady } = this.#connection;
    if (this.#silentTicks > (isReady ? SILENT_MAX : OPENING_MAX)) this.#giveUp();
    else if (isReady && !this.#isPinged && this.#silentTicks >= PING_AFTER) this.#ping();
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

  /** All waiting commands fail. It is opened again at the next tick, because the library ends its attempts only then. */
  #giveUp(): void {
    this.#isGivenUp = true;
    this.#silentTicks = 0;
    this.#connection.destroy();
  }

  #reopen(): void {
    this.#isGivenUp = false;
    // The library repeats failed attempts. It rejects only if the connection is destroyed or was opened by another caller.
    if (!this.#connection.isOpen) this.#connection.connect().catch(() => {});
  }
}
