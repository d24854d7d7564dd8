import { Listeners } from '../../application/listeners.js';
import type { Signal, Signals } from '../../application/ports/signals.js';

/** Hints within one process: heard before `send` answers. */
export class MemorySignals implements Signals {
  readonly #listeners = new Listeners<Signal>();

  async send(signal: Signal): Promise<void> {
    this.#listeners.tell(signal);
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#listeners.add(listener);
  }
}
