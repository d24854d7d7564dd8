import type { GateEntry, GateSnapshot, StoredGate } from '../../../application/ports/keys/gate.js';
import { setControls } from '../../../domain/keys/key-controls.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';

/** The gate on accounts in memory. */
export class MemoryGate implements StoredGate {
  readonly #accounts: MemoryAccounts;

  constructor(accounts: MemoryAccounts) {
    this.#accounts = accounts;
  }

  find(hash: KeyHash): GateEntry | null {
    const found = this.#accounts.ofHash(hash);
    if (found === null) return null;
    const { id, state, scopes, controls } = found.key;
    const key = { id, state, scopes, controls: setControls(controls) };
    return { key, subscription: found.account.subscription };
  }

  snapshot(hash: KeyHash): GateSnapshot {
    return { entry: this.find(hash), position: this.#accounts.log.newest };
  }
}
