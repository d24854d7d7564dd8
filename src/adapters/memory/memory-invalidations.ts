import type { Invalidation, Invalidations } from '../../application/ports/invalidations.js';
import { Listeners } from '../listeners/listeners.js';

/** Invalidations within one process. Listeners are called before `send` returns. */
export class MemoryInvalidations implements Invalidations {
  readonly #listeners = new Listeners<Invalidation>();

  async send(invalidation: Invalidation): Promise<void> {
    this.#listeners.notify(invalidation);
  }

  listen(listener: (invalidation: Invalidation) => void): () => void {
    return this.#listeners.add(listener);
  }
}
