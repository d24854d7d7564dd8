import type { Identities, Identity } from '../../application/ports/identities.js';
import type { AccountId } from '../../domain/account.js';

/** Identities of one process, for demos and tests. */
export class MemoryIdentities implements Identities {
  readonly #accounts = new Map<string, AccountId>();

  async accountOf(identity: Identity): Promise<AccountId | null> {
    return this.#accounts.get(nameOf(identity)) ?? null;
  }

  async join(identity: Identity, account: AccountId): Promise<AccountId> {
    const name = nameOf(identity);
    const first = this.#accounts.get(name) ?? account;
    this.#accounts.set(name, first);
    return first;
  }
}

const nameOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject]);
