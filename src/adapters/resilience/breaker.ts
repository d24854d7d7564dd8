import { NotNow, Unavailable } from '../../application/unavailable.js';
import { withDeadline } from './deadline.js';

export type BreakerState = 'closed' | 'open';
type Listener = (state: BreakerState, cause: unknown) => void;

/** So many failures in a row open it. */
const FAILURES_MAX = 3;
/** While open: how often it is asked whether the other side is back. */
const RETRY_EVERY_MS = 500;
/** While closed: so that a service that nobody uses notices all the same. */
const WATCH_EVERY_MS = 1_000;
const PROBE_MS = 500;

/**
 * Keeps callers from waiting for a server that does not answer.
 *
 * Closed, it lets everything through and counts failures; open, it refuses at once. It asks by
 * itself whether the server answers, so that no caller has to try it out.
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
   * Runs `work`, or throws `Unavailable` at once while open. Other faults than that are bugs, and not counted. Neither is
   * `NotNow`: the server answered, and to refuse reads because it takes no writes would make things worse.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state === 'open') throw new Unavailable(this.#what);
    try {
      const answer = await work();
      this.#failures = 0;
      return answer;
    } catch (fault) {
      if (fault instanceof Unavailable && !(fault instanceof NotNow)) this.#failed(fault);
      throw fault;
    }
  }

  /** Begins to ask by itself. Answers when it has asked once: who is not there at the start needs no second chance. */
  async start(): Promise<void> {
    this.#failures = FAILURES_MAX - 1;
    await this.#ask();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    try {
      await withDeadline(PROBE_MS, this.#what, this.#probe);
      this.#failures = 0;
      this.#become('closed', null);
    } catch (fault) {
      this.#failed(fault);
    }
    this.#askLater();
  }

  #failed(fault: unknown): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) this.#become('open', fault);
  }

  #become(state: BreakerState, cause: unknown): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state, cause);
  }

  #askLater(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const isSure = this.#state === 'closed' && this.#failures === 0;
    this.#timer = setTimeout(() => void this.#ask(), isSure ? WATCH_EVERY_MS : RETRY_EVERY_MS);
    this.#timer.unref();
  }
}
