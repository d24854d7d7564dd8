import { setTimeout as wait } from 'node:timers/promises';
import { NotNow, Unavailable, UnavailableAfterPause } from '../../application/unavailable.js';
import { withDeadline } from './deadline.js';

export type BreakerState = 'closed' | 'open';
type Listener = (state: BreakerState, cause: unknown) => void;

/** The breaker opens after this many failures in a row, */
const FAILURES_MAX = 3;
/** if they span this time: many calls fail at the same moment when one connection of many is lost. */
const FAILING_MS = 200;
/** Probe interval while open or after a failure. */
const RETRY_EVERY_MS = 500;
/** Probe interval while closed, so that an outage is noticed also without requests. */
const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 500;
/** After a pause of this process, the server has this long to answer, connecting included, before it counts as unavailable. */
const WAKE_TIMEOUT_MS = 250;
/** Probe interval in this time. A lost connection is noticed and opened again within milliseconds. */
const WAKE_RETRY_EVERY_MS = 10;

/** The pauses of this process. */
export type Pauses = {
  /** The time at which the last pause was noticed; null if there was none. */
  lastWokeAt(): number | null;
  onWake(listener: () => void): () => void;
};
const NO_PAUSES: Pauses = { lastWokeAt: () => null, onWake: () => () => {} };

/**
 * A circuit breaker, so that callers do not wait for a server that does not answer.
 *
 * States and transitions:
 * - `closed`: runs every call. It becomes `open` after three failures in a row, of calls or probes, that span 200 ms. Only a
 *   server that gives no answer fails: a call that it refused or cancelled (`NotNow`), or that waited in a queue of ours, does
 *   not count.
 * - `open`: fails every call at once. It becomes `closed` with the first answered probe.
 *
 * It probes the server in the background, so that no caller has to test whether the server answers again.
 *
 * A pause of this process says nothing about the server (T17). After a pause it probes at once, also if it was open before.
 * A call that spans the pause, or that fails before this probe has ended, does not count as a failure, and its caller can
 * wait for the result of the probe.
 */
export class Breaker {
  readonly #what: string;
  readonly #probe: () => Promise<unknown>;
  readonly #pauses: Pauses;
  readonly #listeners = new Set<Listener>();
  #state: BreakerState = 'closed';
  #failures = 0;
  /** The time of the first of these failures, by the monotonic clock; null without one. */
  #failingSince: number | null = null;
  readonly #failingMs: number;
  /** Whether the server has answered since the last pause. */
  #answered = Promise.resolve(true);
  #isWaking = false;
  #stopListening = () => {};
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: {
    readonly what: string;
    readonly probe: () => Promise<unknown>;
    readonly pauses?: Pauses;
    readonly failingMs?: number;
  }) {
    this.#what = options.what;
    this.#probe = options.probe;
    this.#pauses = options.pauses ?? NO_PAUSES;
    this.#failingMs = options.failingMs ?? FAILING_MS;
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
    const wokeAt = this.#pauses.lastWokeAt();
    if (this.#state === 'open') throw this.#failure(wokeAt, new Unavailable(this.#what));
    try {
      const answer = await work();
      this.#forgetFailures();
      return answer;
    } catch (fault) {
      if (!(fault instanceof Unavailable) || fault instanceof NotNow) throw fault;
      const failure = this.#failure(wokeAt, fault);
      if (failure === fault) this.#countFailure(fault);
      throw failure;
    }
  }

  /** Starts to probe and resolves after the first probe. One failed probe at the start already opens the breaker, by default. */
  async start({ isStrict = true } = {}): Promise<void> {
    if (isStrict) {
      this.#failures = FAILURES_MAX - 1;
      this.#failingSince = Number.NEGATIVE_INFINITY;
    }
    this.#stopListening = this.#pauses.onWake(() => {
      this.#answered = this.#probeAfterPause();
    });
    await this.#runProbe();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening();
    clearTimeout(this.#timer);
  }

  async #runProbe(): Promise<void> {
    const wokeAt = this.#pauses.lastWokeAt();
    try {
      await withDeadline(PROBE_TIMEOUT_MS, this.#what, this.#probe);
      this.#close();
    } catch (fault) {
      if (!this.#isCausedByPause(wokeAt)) this.#countFailure(fault);
    }
    this.#scheduleProbe();
  }

  async #probeAfterPause(): Promise<boolean> {
    this.#isWaking = true;
    const over = new AbortController();
    const untilAnswered = async () => {
      while (!(await this.#isProbeAnswered())) {
        await wait(WAKE_RETRY_EVERY_MS, undefined, { signal: over.signal, ref: false });
      }
    };
    try {
      await withDeadline(WAKE_TIMEOUT_MS, this.#what, untilAnswered);
      this.#close();
      return true;
    } catch {
      return false;
    } finally {
      over.abort();
      this.#isWaking = false;
    }
  }

  #isProbeAnswered(): Promise<boolean> {
    return this.#probe().then(
      () => true,
      () => false,
    );
  }

  /** `wokeAt` is the last pause before the call. */
  #isCausedByPause(wokeAt: number | null): boolean {
    return this.#pauses.lastWokeAt() !== wokeAt || this.#isWaking;
  }

  #failure(wokeAt: number | null, fault: Unavailable): Unavailable {
    return this.#isCausedByPause(wokeAt)
      ? new UnavailableAfterPause(this.#what, this.#answered, fault.cause)
      : fault;
  }

  #forgetFailures(): void {
    this.#failures = 0;
    this.#failingSince = null;
  }

  #close(): void {
    this.#forgetFailures();
    this.#setState('closed', null);
  }

  #countFailure(fault: unknown): void {
    this.#failures += 1;
    const now = performance.now();
    this.#failingSince ??= now;
    const isLong = now - this.#failingSince >= this.#failingMs;
    if (this.#failures >= FAILURES_MAX && isLong) this.#setState('open', fault);
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
