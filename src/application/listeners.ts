/** Who listens for something. One that fails misses a hint, no more: who tells, and who else listens, are not concerned. */
export class Listeners<What> {
  readonly #listeners = new Set<(what: What) => void>();

  /** Returns the way to stop listening. */
  add(listener: (what: What) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(what: What): void {
    for (const listener of this.#listeners) {
      try {
        listener(what);
      } catch {
        // It was told; what it makes of it is its own.
      }
    }
  }
}
