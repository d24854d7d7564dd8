import type {
  NewSandboxKey,
  SandboxHolder,
  SandboxKey,
  SandboxKeys,
} from '../../../application/ports/keys/sandbox-keys.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { isDeleted } from '../../../domain/accounts/account-deletion.js';
import { causesOf } from '../../../domain/keys/api-key.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';

/** Sandbox keys of one process, for demos and tests. */
export class MemorySandboxKeys implements SandboxKeys {
  readonly #accounts: MemoryAccounts;
  readonly #keys = new Map<AccountId, NewSandboxKey>();

  constructor(accounts: MemoryAccounts) {
    this.#accounts = accounts;
  }

  async find(hash: KeyHash): Promise<SandboxHolder | null> {
    for (const [id, key] of this.#keys) {
      if (key.hash !== hash) continue;
      const account = this.#accounts.ofId(id);
      return account === null ? null : { account: id, causes: causesOf(account.subscription.suspension) };
    }
    return null;
  }

  async of(account: AccountId): Promise<SandboxKey | null> {
    const key = this.#keys.get(account);
    return key === undefined ? null : { prefix: key.prefix, createdAt: key.createdAt };
  }

  async put(id: AccountId, key: NewSandboxKey): Promise<boolean> {
    const account = this.#accounts.ofId(id);
    if (account === null || isDeleted(account)) return false;
    this.#keys.set(id, key);
    return true;
  }

  async remove(account: AccountId): Promise<boolean> {
    return this.deleteOf(account);
  }

  deleteOf(account: AccountId): boolean {
    return this.#keys.delete(account);
  }
}
