import { Unavailable, Unwritable } from '../../application/unavailable.js';

type Listener = (refusal: Unwritable | null) => void;

/** Probe interval while writable, so that a change is noticed without traffic. */
const PROBE_EVERY_MS = 1_000;
/** Probes in a row without an answer, while reads answer, after which the store counts as not writable. */
const SILENT_PROBES = 3;
const NO_ANSWER = 'it answers reads, and no write in time';
/** Probe interval while not writable or after a probe without an answer, so that the recovery is noticed soon. */
const RETRY_EVERY_MS = 300;

/**
 * Whether a store accepts writes.
 *
 * It only reports: every write is still tried, because some may succeed while others are refused. The exception is a store
 * that is silent: it answers reads, and three probes in a row got no answer, for example because a synchronous standby is
 * gone. Then `runUnlessSilent` refuses at once, so that its callers do not wait for their timeouts. After a refused
 * write, the state is unwritable at once. After a successful probe, it is writable again, but only if no write was
 * refused since the previous probe. Therefore the state does not alternate if writes fail for a reason that the probe
 * does not detect.
 */
export class Writability {
  readonly #what: string;
  readonly #probe: (refusal: Unwritable | null) => Promise<void>;
  readonly #answersReads: () => boolean;
  readonly #listeners = new Set<Listener>();
  #refusal: Unwritable | null = null;
  #isRefusedSinceProbe = false;
  /** Probes in a row that the store did not answer. */
  #silentProbes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `probe` writes and throws `Unwritable` if that is refused. It gets the last refusal, whose cause it must check. */
  constructor(options: {
    readonly what: string;
    readonly probe: (refusal: Unwritable | null) => Promise<void>;
    readonly answersReads: () => boolean;
  }) {
    this.#what = options.what;
    this.#probe = options.probe;
    this.#answersReads = options.answersReads;
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

  /** Runs `work`, unless writes get no answer: then throws at once. */
  async runUnlessSilent<T>(work: () => Promise<T>): Promise<T> {
    if (this.#silentProbes >= SILENT_PROBES) throw new Unwritable(this.#what, NO_ANSWER);
    return work();
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
      this.#silentProbes = 0;
      if (!wasRefused && !this.#isRefusedSinceProbe) this.#setRefusal(null);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      if (!(fault instanceof Unwritable)) return this.#noteSilence(fault);
      this.#silentProbes = 0;
      this.#setRefusal(fault);
    }
  }

  /** The breaker reports a store that answers no reads either. A fault without a cause says that the store was not asked. */
  #noteSilence(fault: Unavailable): void {
    if (!this.#answersReads()) this.#silentProbes = 0;
    else if (fault.cause !== undefined) this.#silentProbes += 1;
    if (this.#silentProbes >= SILENT_PROBES)
      this.#setRefusal(new Unwritable(this.#what, NO_ANSWER, fault.cause));
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
    const isHealthy = this.#refusal === null && this.#silentProbes === 0;
    this.#timer = setTimeout(() => void again(), isHealthy ? PROBE_EVERY_MS : RETRY_EVERY_MS);
    this.#timer.unref();
  }
}
