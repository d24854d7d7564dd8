import type {
  Identities,
  Identity,
  JoinedIdentity,
  RecordChange,
} from '../../../application/ports/sign-in/identities.js';
import { NotNow } from '../../../application/unavailable.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import { isDeleted } from '../../../domain/accounts/account-deletion.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { MemoryAccounts } from '../accounts/memory-accounts.js';

/** Identities of one process, for demos and tests. It needs no lock, because nothing is awaited between read and write. */
export class MemoryIdentities implements Identities {
  readonly #accounts: MemoryAccounts;
  readonly #joined = new Map<string, { readonly identity: JoinedIdentity; readonly account: AccountId }>();

  constructor(accounts: MemoryAccounts) {
    this.#accounts = accounts;
  }

  async accountOf(identity: Identity): Promise<AccountId | null> {
    return this.#joined.get(nameOf(identity))?.account ?? null;
  }

  async join(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<AccountId> {
    const name = nameOf(identity);
    const first = this.#joined.get(name);
    if (first !== undefined) return first.account;
    if (this.#isDeleted(account)) throw new NotNow('the account', undefined, 'was deleted meanwhile');
    const recorded = this.#accounts.changeNow(account, record);
    if (isRefusal(recorded)) {
      throw new Error(`cannot join an identity to an unknown account: ${recorded.refused}`);
    }
    const { issuer, subject, joinedAt } = identity;
    this.#joined.set(name, { identity: { issuer, subject, joinedAt }, account });
    return account;
  }

  async of(account: AccountId): Promise<readonly JoinedIdentity[]> {
    return [...this.#joined.values()]
      .filter((joined) => joined.account === account)
      .map(({ identity }) => identity)
      .sort((a, b) => (a.joinedAt < b.joinedAt ? -1 : 1));
  }

  async removeAll(account: AccountId, record: RecordChange): Promise<Account | Refusal> {
    if (this.#isDeleted(account)) return { refused: 'not_found', what: 'account' };
    const recorded = this.#accounts.changeNow(account, record);
    if (!isRefusal(recorded)) this.deleteOf(account);
    return recorded;
  }

  #isDeleted(id: AccountId): boolean {
    const account = this.#accounts.ofId(id);
    return account !== null && isDeleted(account);
  }

  deleteOf(account: AccountId): void {
    for (const [name, joined] of this.#joined) if (joined.account === account) this.#joined.delete(name);
  }
}

const nameOf = ({ issuer, subject }: Identity): string => JSON.stringify([issuer, subject]);
