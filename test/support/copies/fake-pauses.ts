import { Listeners } from '../../../src/adapters/listeners/listeners.js';

/** Pauses of the process that a test causes. */
export class FakePauses {
  #wokeAt: number | null = null;
  #unnoticed: number | null = null;
  readonly #listeners = new Listeners<void>();

  lastWokeAt = (): number | null => {
    const at = this.#unnoticed;
    this.#unnoticed = null;
    if (at !== null) this.wake(at);
    return this.#wokeAt;
  };
  onWake = (listener: () => void): (() => void) => this.#listeners.add(listener);

  /** Nothing has noticed this pause yet. The next question for the last pause does. */
  wakeUnnoticed(at: number): void {
    this.#unnoticed = at;
  }

  wake(at: number): void {
    this.#wokeAt = at;
    this.#listeners.notify();
  }
}
