import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import { Listeners } from '../listeners/listeners.js';

const TICK_EVERY_MS = 100;
/** A tick that is later than this is a pause. A busy event loop is late by less. */
const LATE_MAX_MS = 500;

/**
 * Notices that this process did not run: it was stopped, its container was suspended, or its event loop was blocked. After
 * a pause all timers are due before the sockets are read (T17), so a timeout that spans a pause is no evidence about a
 * server. A pause of the whole machine that the monotonic clock does not count is not noticed.
 */
export class ProcessPauses {
  readonly #clock: MonotonicClock;
  readonly #listeners = new Listeners<number>();
  #tickedAt = 0;
  #wokeAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: MonotonicClock = () => performance.now()) {
    this.#clock = clock;
  }

  /** Pauses before the start are not noticed. */
  async start(): Promise<void> {
    this.#tickedAt = this.#clock();
    this.#timer = setInterval(() => this.#tick(), TICK_EVERY_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * The monotonic time at which the last pause was noticed; null if there was none. A pause that has just ended is noticed
   * here, even if the tick has not run yet: after a pause a request can be handled before it.
   */
  lastWokeAt(): number | null {
    if (this.#timer !== undefined) this.#notice(this.#clock());
    return this.#wokeAt;
  }

  /** Calls the listener with the monotonic time at which a pause was noticed. Returns a function that removes it. */
  onWake(listener: (wokeAt: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  #tick(): void {
    const now = this.#clock();
    this.#notice(now);
    this.#tickedAt = now;
  }

  #notice(now: number): void {
    if (now - this.#tickedAt <= TICK_EVERY_MS + LATE_MAX_MS) return;
    // Before the listeners run, so that one that asks for the last pause does not notice it again.
    this.#tickedAt = now;
    this.#wokeAt = now;
    this.#listeners.notify(now);
  }
}
