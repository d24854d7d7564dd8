import type { Accounts } from '../../application/ports/accounts.js';
import { type Account, type AccountId, type AuditEntry, type Change, nextDue } from '../../domain/account.js';
import type { KeyId } from '../../domain/api-key.js';
import type { KeyHash } from '../../domain/key-value.js';
import type { Moment } from '../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';

/** Accounts of one process, for demos and tests. Nothing is awaited between look and write: that is its lock. */
export class MemoryAccounts implements Accounts {
  readonly #accounts = new Map<AccountId, Account>();
  readonly #audit = new Map<AccountId, readonly AuditEntry[]>();
  readonly #byEmail = new Map<string, AccountId>();
  readonly #byCustomer = new Map<string, AccountId>();
  readonly #byKey = new Map<KeyId, AccountId>();
  readonly #byHash = new Map<KeyHash, AccountId>();

  async open(opening: Change): Promise<Account | Refusal> {
    const { email, processorCustomerId } = opening.next;
    if (this.#byEmail.has(email)) return refuse('account_exists');
    if (processorCustomerId !== null && this.#byCustomer.has(processorCustomerId)) {
      return refuse('account_exists');
    }
    return this.#store(opening);
  }

  async change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal> {
    const account = this.#accounts.get(id);
    if (account === undefined) return { refused: 'not_found', what: 'account' };
    const change = decide(account);
    return isRefusal(change) ? change : this.#store(change);
  }

  async find(id: AccountId): Promise<Account | null> {
    return this.#accounts.get(id) ?? null;
  }

  async findByEmail(email: string): Promise<Account | null> {
    return this.#of(this.#byEmail.get(email.toLowerCase()));
  }

  async findByKey(key: KeyId): Promise<Account | null> {
    return this.#of(this.#byKey.get(key));
  }

  /** What `MemoryGate` reads: it sees each change at once. */
  ofHash(hash: KeyHash): Account | null {
    return this.#of(this.#byHash.get(hash));
  }

  async auditOf(id: AccountId): Promise<readonly AuditEntry[]> {
    return this.#audit.get(id) ?? [];
  }

  async due(now: Moment, count: number): Promise<readonly AccountId[]> {
    return [...this.#accounts.values()]
      .flatMap((account) => {
        const due = nextDue(account);
        return due !== null && due <= now ? [{ id: account.id, due }] : [];
      })
      .sort((a, b) => (a.due < b.due ? -1 : 1))
      .slice(0, count)
      .map(({ id }) => id);
  }

  #of(id: AccountId | undefined): Account | null {
    return id === undefined ? null : (this.#accounts.get(id) ?? null);
  }

  #store({ next, entries }: Change): Account {
    const { id, email, processorCustomerId, keys } = next;
    this.#accounts.set(id, next);
    this.#audit.set(id, [...(this.#audit.get(id) ?? []), ...entries]);
    this.#byEmail.set(email, id);
    if (processorCustomerId !== null) this.#byCustomer.set(processorCustomerId, id);
    for (const key of keys) {
      this.#byKey.set(key.id, id);
      this.#byHash.set(key.hash, id);
    }
    return next;
  }
}
