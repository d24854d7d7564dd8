/** How many requests may be worked on at once: in all, and for one group of client addresses. */
export type BulkheadLimits = {
  readonly max: number;
  /** Undefined: a single group may use all of it. */
  readonly perGroupMax?: number;
};

/**
 * A limit on work of one kind. Work of another kind has a bulkhead of its own, so that an overload of one kind never
 * refuses another. Whoever entered must leave.
 */
export class Bulkhead {
  readonly #max: number;
  readonly #perGroupMax: number | undefined;
  readonly #byGroup = new Map<string, number>();
  #count = 0;

  constructor({ max, perGroupMax }: BulkheadLimits) {
    this.#max = max;
    this.#perGroupMax = perGroupMax;
  }

  /** False when the limit is reached, of all or of this group. */
  enter(group: string): boolean {
    if (this.#count >= this.#max) return false;
    if (this.#perGroupMax !== undefined) {
      const ofGroup = this.#byGroup.get(group) ?? 0;
      if (ofGroup >= this.#perGroupMax) return false;
      this.#byGroup.set(group, ofGroup + 1);
    }
    this.#count += 1;
    return true;
  }

  leave(group: string): void {
    this.#count -= 1;
    const ofGroup = this.#byGroup.get(group);
    if (ofGroup === undefined) return;
    if (ofGroup === 1) this.#byGroup.delete(group);
    else this.#byGroup.set(group, ofGroup - 1);
  }
}
