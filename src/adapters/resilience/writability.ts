import { Unavailable, Unwritable } from '../../application/unavailable.js';

type Listener = (refusal: Unwritable | null) => void;

/** Probe interval while writable, so that a change is noticed without traffic. */
const PROBE_EVERY_MS = 1_000;
/** Probe interval while not writable, so that the recovery is noticed soon. */
const RETRY_EVERY_MS = 300;

/**
 * Whether a store accepts writes.
 *
 * It only reports: every write is still tried, because some may succeed while others are refused. After a refused
 * write, the state is unwritable at once. After a successful probe, it is writable again, but only if no write was
 * refused since the previous probe. Therefore the state does not alternate if writes fail for a reason that the probe
 * does not detect.
 */
export class Writability {
  readonly #what: string;
  readonly #probe: (refusal: Unwritable | null) => Promise<void>;
  readonly #listeners = new Set<Listener>();
  #refusal: Unwritable | null = null;
  #isRefusedSinceProbe = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `probe` writes and throws `Unwritable` if that is refused. It gets the last refusal, whose cause it must check. */
  constructor(options: {
    readonly what: string;
    readonly probe: (refusal: Unwritable | null) => Promise<void>;
  }) {
    this.#what = options.what;
    this.#probe = options.probe;
  }

  /** The last refusal; null while writes succeed. */
  get refusal(): Unwritable | null {
    return this.#refusal;
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /**
   * Runs `work`. If a write is refused, throws the error without its cause, because the cause was logged with the
   * change of state.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof Unwritable)) throw fault;
      this.#isRefusedSinceProbe = true;
      const isFirst = this.#refusal === null;
      this.#setRefusal(fault);
      if (isFirst && this.#timer !== undefined) this.#scheduleProbe();
      throw new Unwritable(this.#what, fault.reason);
    }
  }

  /** Starts to probe and resolves after the first probe. Throws any error other than `Unavailable`. */
  async start(): Promise<void> {
    await this.#runProbe();
    this.#scheduleProbe();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #runProbe(): Promise<void> {
    const wasRefused = this.#isRefusedSinceProbe;
    this.#isRefusedSinceProbe = false;
    try {
      await this.#probe(this.#refusal);
      if (!wasRefused && !this.#isRefusedSinceProbe) this.#setRefusal(null);
    } catch (fault) {
      if (fault instanceof Unwritable) this.#setRefusal(fault);
      // The breaker reports an unavailable store. The state here does not change.
      else if (!(fault instanceof Unavailable)) throw fault;
    }
  }

  /** Listeners are called only when the state changes, not for each further refusal. */
  #setRefusal(refusal: Unwritable | null): void {
    const isChanged = (refusal === null) !== (this.#refusal === null);
    this.#refusal = refusal;
    if (isChanged) for (const listener of this.#listeners) listener(refusal);
  }

  #scheduleProbe(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const again = async () => {
      await this.#runProbe().catch(() => {}); // A bug in the probe already fails the start.
      this.#scheduleProbe();
    };
    this.#timer = setTimeout(() => void again(), this.#refusal === null ? PROBE_EVERY_MS : RETRY_EVERY_MS);
    this.#timer.unref();
  }
}
