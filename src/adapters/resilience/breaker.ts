import { NotNow, Unavailable } from '../../application/unavailable.js';
import { withDeadline } from './deadline.js';

export type BreakerState = 'closed' | 'open';
type Listener = (state: BreakerState, cause: unknown) => void;

/** The breaker opens after this many failures in a row. */
const FAILURES_MAX = 3;
/** Probe interval while open or after a failure. */
const RETRY_EVERY_MS = 500;
/** Probe interval while closed, so that an outage is noticed also without requests. */
const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 500;

/**
 * A circuit breaker, so that callers do not wait for a server that does not answer.
 *
 * While closed, it runs every call and counts failures. While open, it fails every call at once. It probes the server
 * in the background, so that no caller has to test whether the server answers again.
 */
export class Breaker {
  readonly #what: string;
  readonly #probe: () => Promise<unknown>;
  readonly #listeners = new Set<Listener>();
  #state: BreakerState = 'closed';
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ what, probe }: { readonly what: string; readonly probe: () => Promise<unknown> }) {
    this.#what = what;
    this.#probe = probe;
  }

  get state(): BreakerState {
    return this.#state;
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /**
   * Runs `work`. Throws `Unavailable` at once while open. Only `Unavailable` counts as a failure, because other errors
   * are bugs. `NotNow` does not count, because the server answered, and reads must continue while it refuses writes.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state === 'open') throw new Unavailable(this.#what);
    try {
      const answer = await work();
      this.#failures = 0;
      return answer;
    } catch (fault) {
      if (fault instanceof Unavailable && !(fault instanceof NotNow)) this.#countFailure(fault);
      throw fault;
    }
  }

  /** Starts to probe and resolves after the first probe. One failed probe at the start already opens the breaker. */
  async start(): Promise<void> {
    this.#failures = FAILURES_MAX - 1;
    await this.#runProbe();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #runProbe(): Promise<void> {
    try {
      await withDeadline(PROBE_TIMEOUT_MS, this.#what, this.#probe);
      this.#failures = 0;
      this.#setState('closed', null);
    } catch (fault) {
      this.#countFailure(fault);
    }
    this.#scheduleProbe();
  }

  #countFailure(fault: unknown): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) this.#setState('open', fault);
  }

  #setState(state: BreakerState, cause: unknown): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state, cause);
  }

  #scheduleProbe(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const isHealthy = this.#state === 'closed' && this.#failures === 0;
    this.#timer = setTimeout(() => void this.#runProbe(), isHealthy ? PROBE_EVERY_MS : RETRY_EVERY_MS);
    this.#timer.unref();
  }
}
