/** The limits on request bodies that have not arrived yet. */
export type UnfinishedBodyLimits = {
  readonly max: number;
  /** Of one group of client addresses. */
  readonly perGroupMax: number;
  /** How long one body may take. */
  readonly deadlineMs: number;
};

/** A body that is being received; `close` ends its connection. */
type Unfinished = { readonly group: string; readonly close: () => void };

/**
 * Request bodies that have not arrived yet, of one class of requests.
 *
 * If a new body exceeds a limit, the oldest unfinished body is closed: that of the same group if the group is at its
 * limit, else that of the largest group. A client that delays many bodies therefore loses its own, and a body that
 * arrives at normal speed is not affected.
 */
export class UnfinishedBodies {
  readonly #limits: UnfinishedBodyLimits;
  readonly #byGroup = new Map<string, Set<Unfinished>>();
  #count = 0;

  constructor(limits: UnfinishedBodyLimits) {
    this.#limits = limits;
  }

  get deadlineMs(): number {
    return this.#limits.deadlineMs;
  }

  /** A body begins to arrive. Call the returned function when it has arrived or failed. */
  begin(group: string, close: () => void): () => void {
    const { max, perGroupMax } = this.#limits;
    if ((this.#byGroup.get(group)?.size ?? 0) >= perGroupMax) this.#closeOldestOf(group);
    else if (this.#count >= max) this.#closeOldestOf(this.#largestGroup());
    const unfinished = { group, close };
    const ofGroup = this.#byGroup.get(group) ?? new Set();
    ofGroup.add(unfinished);
    this.#byGroup.set(group, ofGroup);
    this.#count += 1;
    return () => this.#forget(unfinished);
  }

  #closeOldestOf(group: string): void {
    for (const oldest of this.#byGroup.get(group) ?? []) {
      this.#forget(oldest);
      oldest.close();
      return;
    }
  }

  #largestGroup(): string {
    let largest = '';
    let most = 0;
    for (const [group, { size }] of this.#byGroup) {
      if (size > most) [largest, most] = [group, size];
    }
    return largest;
  }

  #forget(unfinished: Unfinished): void {
    const ofGroup = this.#byGroup.get(unfinished.group);
    if (ofGroup?.delete(unfinished) !== true) return;
    if (ofGroup.size === 0) this.#byGroup.delete(unfinished.group);
    this.#count -= 1;
  }
}
