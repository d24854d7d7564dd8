/** The most requests in progress: in total, and from one group of client addresses. */
export type BulkheadLimits = {
  readonly max: number;
  /** Undefined: one group may use the whole limit. */
  readonly perGroupMax?: number;
};

/**
 * A limit on concurrent work of one kind. Each kind has its own bulkhead, so that an overload of one kind never affects
 * another. Every `enter` that returns true needs one `leave`.
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

  /** False if the total limit or the limit of this group is reached. */
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
