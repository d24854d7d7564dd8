/** Streams that begin to open in one turn of the event loop: some milliseconds of work. */
const BEGUN_AT_ONCE = 8;
/** How long streams wait at most while connections arrive one after the other. */
const WAIT_MAX_MS = 4_000;

/**
 * The requests that are about to open a stream, in the order of their arrival.
 *
 * Node accepts one connection in each turn of the event loop. If thousands of clients resume together, after a restart, and
 * each turn also opened a stream, the last connections would wait for seconds, and with them requests for pages. Therefore
 * the connections are accepted first. Then a few streams are opened in each turn, so that other requests are answered in
 * between.
 */
export class OpeningQueue {
  readonly #accepted: () => number;
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #waitingSince = 0;
  /** The connections that were accepted until the last turn. */
  #acceptedBefore = 0;

  /** `accepted`: the connections that were accepted since the start. `now`: a monotonic clock in milliseconds. */
  constructor(accepted: () => number, now: () => number = () => performance.now()) {
    this.#accepted = accepted;
    this.#now = now;
  }

  /** Resolves when this request may open its stream. */
  wait(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin);
      if (this.#waiting.length > 1) return;
      this.#waitingSince = this.#now();
      setImmediate(() => this.#begin());
    });
  }

  #begin(): void {
    const accepted = this.#accepted();
    const isAccepting = accepted !== this.#acceptedBefore;
    this.#acceptedBefore = accepted;
    if (!isAccepting || this.#now() - this.#waitingSince >= WAIT_MAX_MS) {
      for (const begin of this.#waiting.splice(0, BEGUN_AT_ONCE)) begin();
    }
    if (this.#waiting.length > 0) setImmediate(() => this.#begin());
  }
}
