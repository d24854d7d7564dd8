import type { Position } from '../../../domain/feed/position.js';

type Batch = { readonly numbers: Set<number>; readonly found: Promise<ReadonlyMap<number, Position>> };

/** Looks positions up by their numbers: one read at a time, for all that were asked for before it. */
export class PositionLookUps {
  readonly #read: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Position>>;
  #running: Promise<unknown> = Promise.resolve();
  /** The batch that the next read looks up. */
  #next: Batch | null = null;

  constructor(read: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Position>>) {
    this.#read = read;
  }

  /** Null if the log has no change with this number. */
  async find(n: number): Promise<Position | null> {
    const batch = this.#next ?? this.#begin();
    this.#next = batch;
    batch.numbers.add(n);
    return (await batch.found).get(n) ?? null;
  }

  #begin(): Batch {
    const numbers = new Set<number>();
    const found = this.#running.then(() => {
      this.#next = null;
      return this.#read([...numbers]);
    });
    this.#running = found.catch(() => {});
    return { numbers, found };
  }
}
