import type { AccountChange } from '../../application/ports/change-logs.js';
import { Listeners } from '../listeners/listeners.js';

/** The changes of accounts as this process follows them: a listener is called once the gate has dropped its copies. */
export class AccountChanges {
  readonly #listeners = new Listeners<AccountChange>();

  /** Returns a function that removes the listener. */
  onChange(listener: (change: AccountChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  notify(changes: readonly AccountChange[]): void {
    for (const change of changes) this.#listeners.notify(change);
  }
}
