import { Unavailable, Unwritable } from '../../application/unavailable.js';

type Listener = (refusal: Unwritable | null) => void;

/** While writable: so that a service that nobody uses notices all the same. */
const PROBE_EVERY_MS = 1_000;
/** While not: so that writes that go through again are known soon. */
const RETRY_EVERY_MS = 300;

/**
 * Whether a store that answers takes writes.
 *
 * It only tells. Every write is still tried, since some may go through while others are refused, so nothing waits for
 * the state to change back. A refused write makes the store unwritable at once; a probe makes it writable again, if no
 * write was refused since the probe before. So the state does not change to and fro where the probe sees less than the
 * writes do.
 */
export class Writability {
  readonly #what: string;
  readonly #probe: (refusal: Unwritable | null) => Promise<void>;
  readonly #listeners = new Set<Listener>();
  #refusal: Unwritable | null = null;
  #isRefusedSinceProbe = false;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `probe` writes, and throws `Unwritable` where that is refused; it is given the refusal that it is to undo. */
  constructor(parts: {
    readonly what: string;
    readonly probe: (refusal: Unwritable | null) => Promise<void>;
  }) {
    this.#what = parts.what;
    this.#probe = parts.probe;
  }

  /** The latest refusal; null while writes go through. */
  get refusal(): Unwritable | null {
    return this.#refusal;
  }

  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Runs `work`. A refused write is thrown on without its cause: that was told with the change of state. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (fault) {
      if (!(fault instanceof Unwritable)) throw fault;
      this.#isRefusedSinceProbe = true;
      const isNews = this.#refusal === null;
      this.#become(fault);
      if (isNews && this.#timer !== undefined) this.#askLater();
      throw new Unwritable(this.#what, fault.reason);
    }
  }

  /** Begins to probe. Answers after the first probe; throws what is neither a refused write nor an absence. */
  async start(): Promise<void> {
    await this.#ask();
    this.#askLater();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const isRefused = this.#isRefusedSinceProbe;
    this.#isRefusedSinceProbe = false;
    try {
      await this.#probe(this.#refusal);
      if (!isRefused && !this.#isRefusedSinceProbe) this.#become(null);
    } catch (fault) {
      if (fault instanceof Unwritable) this.#become(fault);
      // A store that is away has a breaker to say so; whether it takes writes is as it was.
      else if (!(fault instanceof Unavailable)) throw fault;
    }
  }

  /** One refusal after another is one state, and is told once. */
  #become(refusal: Unwritable | null): void {
    const isChanged = (refusal === null) !== (this.#refusal === null);
    this.#refusal = refusal;
    if (isChanged) for (const listener of this.#listeners) listener(refusal);
  }

  #askLater(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const again = async () => {
      await this.#ask().catch(() => {}); // A bug in the probe shows at the start.
      this.#askLater();
    };
    this.#timer = setTimeout(() => void again(), this.#refusal === null ? PROBE_EVERY_MS : RETRY_EVERY_MS);
    this.#timer.unref();
  }
}
