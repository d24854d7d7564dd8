import { slowWorkers } from '../../domain/destinations/delivery.js';

/** Deliveries that are begun and not slow, as a multiple of the workers: their bounds are stored together. All are twice as many. */
const BEGUN_MAX = 20;
/** The most bytes of all deliveries before their requests end. Each counts as `bytesMax` until its size is known. */
const BYTES_MAX = 128_000_000;

/**
 * The workers of deliveries (D69). Each sends one request at a time. Destinations whose last try failed or was slow share a quarter
 * of them, so that the others do not wait for receivers that do not answer. A quick one whose request takes long gives its worker back
 * to the quick ones.
 *
 * States of a delivery: *begun* (its bounds are stored; a slow one has its worker), *sending* (it has a worker), *ended*.
 */
export class DeliveryWorkers {
  readonly #most: number;
  #begun = 0;
  #bytes = 0;
  /** The deliveries with a worker. */
  #quick = 0;
  #slow = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#begun;
  }

  /** Null if no other delivery may begin now. The caller ends it once. */
  begin(isSlow: boolean, bytesMax: number): BegunDelivery | null {
    if (this.#begun >= 2 * BEGUN_MAX * this.#most) return null;
    if (this.#begun - this.#slow >= BEGUN_MAX * this.#most || this.#bytes + bytesMax > BYTES_MAX) return null;
    if (isSlow && this.#slow >= slowWorkers(this.#most)) return null;
    this.#begun += 1;
    if (isSlow) this.#slow += 1;
    this.#bytes += bytesMax;
    return new BegunDelivery(isSlow, bytesMax, {
      quickWorker: () => this.#quickWorker(),
      releaseQuick: () => this.#releaseQuick(),
      slow: (count) => {
        this.#slow += count;
      },
      addBytes: (bytes) => {
        this.#bytes += bytes;
      },
      ended: () => {
        this.#begun -= 1;
      },
    });
  }

  #quickWorker(): Promise<void> | undefined {
    if (this.#quick < this.#most) {
      this.#quick += 1;
      return undefined;
    }
    return new Promise((done) => {
      this.#waiting.push(done);
    });
  }

  /** The worker goes to the next one that waits. */
  #releaseQuick(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#quick -= 1;
    else next();
  }
}

/** What the workers do for one delivery. */
type Pool = {
  readonly quickWorker: () => Promise<void> | undefined;
  readonly releaseQuick: () => void;
  readonly slow: (count: 1 | -1) => void;
  readonly addBytes: (bytes: number) => void;
  readonly ended: () => void;
};

export class BegunDelivery {
  #isSlow: boolean;
  #hasQuickWorker = false;
  #bytes: number;
  readonly #pool: Pool;

  constructor(isSlow: boolean, bytesMax: number, pool: Pool) {
    this.#isSlow = isSlow;
    this.#bytes = bytesMax;
    this.#pool = pool;
  }

  /** Resolves when it has a worker. `bytes`: what it holds in memory. */
  async worker(bytes: number): Promise<void> {
    this.#pool.addBytes(bytes - this.#bytes);
    this.#bytes = bytes;
    if (this.#isSlow) return;
    await this.#pool.quickWorker();
    this.#hasQuickWorker = true;
  }

  /** Its request takes long. */
  becomeSlow(): void {
    if (!this.#hasQuickWorker) return;
    this.#releaseQuick();
    this.#isSlow = true;
    this.#pool.slow(1);
  }

  /** The request has ended: its outcome is recorded without a worker. */
  sent(): void {
    if (this.#hasQuickWorker) this.#releaseQuick();
    this.#pool.addBytes(-this.#bytes);
    this.#bytes = 0;
  }

  end(): void {
    this.sent();
    if (this.#isSlow) this.#pool.slow(-1);
    this.#isSlow = false;
    this.#pool.ended();
  }

  #releaseQuick(): void {
    this.#hasQuickWorker = false;
    this.#pool.releaseQuick();
  }
}
