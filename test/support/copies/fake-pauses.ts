import { Listeners } from '../../../src/adapters/listeners/listeners.js';

/** Pauses of the process that a test causes. */
export class FakePauses {
  #wokeAt: number | null = null;
  readonly #listeners = new Listeners<void>();

  lastWokeAt = (): number | null => this.#wokeAt;
  onWake = (listener: () => void): (() => void) => this.#listeners.add(listener);

  wake(at: number): void {
    this.#wokeAt = at;
    this.#listeners.notify();
  }
}
