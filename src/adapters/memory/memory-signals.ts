import type { Signal, Signals } from '../../application/ports/signals.js';

/** Hints within one process: heard before `send` answers. */
export class MemorySignals implements Signals {
  readonly #listeners = new Set<(signal: Signal) => void>();

  async send(signal: Signal): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        listener(signal);
      } catch {
        // A listener that fails misses a hint, no more: who sends, and who else listens, are not concerned.
      }
    }
  }

  listen(listener: (signal: Signal) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
