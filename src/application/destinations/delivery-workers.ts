import { slowWorkers } from '../../domain/destinations/delivery.js';

/** The most deliveries under way, as a multiple of the workers: those that became slow are bounded too. */
const UNDER_WAY_MAX = 4;

/**
 * The workers of deliveries (D69). Destinations whose last try failed or was slow share a quarter of them, so that the others
 * do not wait for receivers that do not answer. A quick one whose try becomes slow gives its worker back to the quick ones.
 */
export class DeliveryWorkers {
  readonly #most: number;
  #quick = 0;
  #slow = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get busy(): number {
    return this.#quick + this.#slow;
  }

  /** Null if no worker is free. The caller releases the worker once. */
  take(isSlow: boolean): Worker | null {
    if (this.busy >= UNDER_WAY_MAX * this.#most) return null;
    if (isSlow ? this.#slow >= slowWorkers(this.#most) : this.#quick >= this.#most) return null;
    this.#add(isSlow, 1);
    return new Worker(isSlow, (wasSlow, count) => this.#add(wasSlow, count));
  }

  #add(isSlow: boolean, count: 1 | -1): void {
    if (isSlow) this.#slow += count;
    else this.#quick += count;
  }
}

class Worker {
  #isSlow: boolean;
  readonly #add: (isSlow: boolean, count: 1 | -1) => void;

  constructor(isSlow: boolean, add: (isSlow: boolean, count: 1 | -1) => void) {
    this.#isSlow = isSlow;
    this.#add = add;
  }

  becomeSlow(): void {
    if (this.#isSlow) return;
    this.#add(false, -1);
    this.#isSlow = true;
    this.#add(true, 1);
  }

  release(): void {
    this.#add(this.#isSlow, -1);
  }
}

export type { Worker };
