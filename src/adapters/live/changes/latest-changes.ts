import type { ChangeEntry } from './change-entry.js';

/** The latest change of each item among some entries. The others of the same item are superseded (D50). */
export class LatestChanges {
  readonly #latest = new Map<string, ChangeEntry>();

  /** Entries may be added in any order. */
  add(entry: ChangeEntry): void {
    if (entry.id === null) return;
    const known = this.#latest.get(entry.id);
    if (known !== undefined && known.n > entry.n) {
      entry.supersede();
      return;
    }
    known?.supersede();
    this.#latest.set(entry.id, entry);
  }

  remove(entry: ChangeEntry): void {
    if (entry.id !== null && this.#latest.get(entry.id) === entry) this.#latest.delete(entry.id);
  }

  /** Supersedes the latest change of an item, because change `n` is later. */
  supersede(id: string, n: number): void {
    const known = this.#latest.get(id);
    if (known !== undefined && known.n < n) known.supersede();
  }

  clear(): void {
    this.#latest.clear();
  }
}
