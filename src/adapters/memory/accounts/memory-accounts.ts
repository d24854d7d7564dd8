import { isDeepStrictEqual } from 'node:util';
import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { AccountChange } from '../../../application/ports/change-logs.js';
import type { Account, AccountId, AuditEntry, Change } from '../../../domain/accounts/account.js';
import { withoutReason } from '../../../domain/accounts/account-deletion.js';
import { nextDue } from '../../../domain/accounts/account-due.js';
import { noticesOf } from '../../../domain/accounts/notice.js';
import type { ApiKey, KeyId } from '../../../domain/keys/api-key.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import { closedKeys, withClosedKey } from '../../../domain/keys/listed-keys.js';
import { type Moment, plus, SECOND } from '../../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.js';
import { MemoryLog } from '../memory-log.js';
import { MemoryOutbox } from './memory-outbox.js';

/** The most accounts that a search by key prefix returns. */
const FOUND_MAX = 10;

/** As in Postgres. It ends only the claim of a caller that failed. */
const CLAIM_DURATION = 15 * SECOND;

/** Accounts of one process, for demos and tests. It needs no lock, because nothing is awaited between read and write. */
export class MemoryAccounts implements Accounts {
  /** The changes that copies of keys need. */
  readonly log = new MemoryLog<AccountChange>();
  readonly #accounts = new Map<AccountId, Account>();
  readonly #audit = new Map<AccountId, readonly AuditEntry[]>();
  readonly #byEmail = new Map<string, AccountId>();
  readonly #byCustomer = new Map<string, AccountId>();
  readonly #byKey = new Map<KeyId, AccountId>();
  readonly #byHash = new Map<KeyHash, AccountId>();
  /** The keys that their accounts no longer list. */
  readonly #closed = new Map<KeyHash, ApiKey>();
  /** When the claim of an account ends. */
  readonly #claimedUntil = new Map<AccountId, Moment>();
  readonly #postponedUntil = new Map<AccountId, Moment>();
  readonly #outbox: MemoryOutbox;

  constructor(outbox: MemoryOutbox = new MemoryOutbox()) {
    this.#outbox = outbox;
  }

  async open(opening: Change): Promise<Account | Refusal> {
    const { email, processorCustomerId } = opening.next;
    if (this.#byEmail.has(email)) return refuse('account_exists');
    if (processorCustomerId !== null && this.#byCustomer.has(processorCustomerId)) {
      return refuse('account_exists');
    }
    return this.#store(null, opening);
  }

  async change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal> {
    return this.changeNow(id, decide);
  }

  /** The same, synchronously, so that a caller can store other data together with the change. */
  changeNow(id: AccountId, decide: (account: Account) => Change | Refusal): Account | Refusal {
    this.#claimedUntil.delete(id);
    const account = this.#accounts.get(id);
    if (account === undefined) return { refused: 'not_found', what: 'account' };
    const change = decide(account);
    if (isRefusal(change)) return change;
    const customer = change.next.processorCustomerId;
    const owner = customer === null ? undefined : this.#byCustomer.get(customer);
    return owner === undefined || owner === id ? this.#store(account, change) : refuse('account_exists');
  }

  /** Stores the change of a deletion, synchronously: without notices, and without reasons in the whole audit log. */
  deleteNow(id: AccountId, decide: (account: Account) => Change | Refusal): Account | Refusal {
    const account = this.#accounts.get(id);
    if (account === undefined) return { refused: 'not_found', what: 'account' };
    const change = decide(account);
    if (isRefusal(change)) return change;
    this.#byEmail.delete(account.email);
    this.#write(account, change);
    this.#audit.set(id, (this.#audit.get(id) ?? []).map(withoutReason));
    return change.next;
  }

  /** Adds audit entries of what is stored elsewhere, synchronously. */
  noteNow(id: AccountId, entries: readonly AuditEntry[]): void {
    this.#audit.set(id, [...(this.#audit.get(id) ?? []), ...entries]);
  }

  all(): Iterable<Account> {
    return this.#accounts.values();
  }

  ofId(id: AccountId): Account | null {
    return this.#of(id);
  }

  ofCustomer(customer: string): Account | null {
    return this.#of(this.#byCustomer.get(customer));
  }

  async find(id: AccountId): Promise<Account | null> {
    return this.#accounts.get(id) ?? null;
  }

  async findAll(ids: readonly AccountId[]): Promise<readonly Account[]> {
    return [...new Set(ids)].flatMap((id) => this.#of(id) ?? []);
  }

  async findByEmail(email: string): Promise<Account | null> {
    return this.#of(this.#byEmail.get(email.toLowerCase()));
  }

  async findByKey(key: KeyId): Promise<Account | null> {
    const account = this.#of(this.#byKey.get(key));
    const closed = [...this.#closed.values()].find(({ id }) => id === key);
    return account === null || closed === undefined ? account : withClosedKey(account, closed);
  }

  async findByKeyPrefix(prefix: string): Promise<readonly Account[]> {
    const ids = [...this.#accounts.values(), { keys: this.#closed.values() }]
      .flatMap(({ keys }) => [...keys])
      .filter((key) => key.prefix === prefix)
      .map(({ id }) => this.#byKey.get(id));
    const found = [...new Set(ids)].flatMap((id) => this.#of(id) ?? []);
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, FOUND_MAX);
  }

  /** All keys of the account of a key, also closed ones, for `MemoryAccountUsage`. */
  keysBeside(key: KeyId): readonly KeyId[] {
    const account = this.#byKey.get(key);
    return account === undefined ? [] : this.keysOf(account);
  }

  /** All keys of an account, also closed ones. */
  keysOf(account: AccountId): readonly KeyId[] {
    return [...this.#byKey].flatMap(([id, of]) => (of === account ? id : []));
  }

  /** A key with its account, for `MemoryGate`. It sees each change at once. */
  ofHash(hash: KeyHash): { readonly account: Account; readonly key: ApiKey } | null {
    const account = this.#of(this.#byHash.get(hash));
    const key = account?.keys.find((other) => other.hash === hash) ?? this.#closed.get(hash);
    return account === null || key === undefined ? null : { account, key };
  }

  async auditOf(id: AccountId): Promise<readonly AuditEntry[]> {
    return this.#audit.get(id) ?? [];
  }

  async claimDue(now: Moment, count: number): Promise<readonly AccountId[]> {
    const free = this.#due(now).filter(({ id }) => (this.#claimedUntil.get(id) ?? now) <= now);
    const ids = free.slice(0, count).map(({ id }) => id);
    for (const id of ids) this.#claimedUntil.set(id, plus(now, CLAIM_DURATION));
    return ids;
  }

  async postponeDue(id: AccountId, until: Moment): Promise<void> {
    this.#claimedUntil.delete(id);
    this.#postponedUntil.set(id, until);
  }

  async isAnyDue(now: Moment): Promise<boolean> {
    return this.#due(now).length > 0;
  }

  #due(now: Moment) {
    return [...this.#accounts.values()]
      .flatMap((account) => {
        const next = nextDue(account);
        const due = next === null ? null : (this.#postponedUntil.get(account.id) ?? next);
        return due !== null && due <= now ? [{ id: account.id, due }] : [];
      })
      .sort((a, b) => (a.due < b.due ? -1 : 1));
  }

  #of(id: AccountId | undefined): Account | null {
    return id === undefined ? null : (this.#accounts.get(id) ?? null);
  }

  #store(before: Account | null, change: Change): Account {
    const { next, entries } = change;
    this.#write(before, change);
    this.#outbox.add(next.id, noticesOf(before, change), entries.at(-1)?.at ?? next.openedAt);
    return next;
  }

  #write(before: Account | null, { next, entries }: Change): void {
    const { id, email, processorCustomerId, keys } = next;
    this.#accounts.set(id, next);
    this.#postponedUntil.delete(id);
    const changed = changedFor(before, next);
    if (changed !== null) this.log.add({ keys: changed });
    for (const key of closedKeys(before?.keys ?? [], keys)) this.#closed.set(key.hash, key);
    this.#audit.set(id, [...(this.#audit.get(id) ?? []), ...entries]);
    this.#byEmail.set(email, id);
    if (processorCustomerId !== null) this.#byCustomer.set(processorCustomerId, id);
    for (const key of keys) {
      // A key is listed or closed, never both.
      this.#closed.delete(key.hash);
      this.#byKey.set(key.id, id);
      this.#byHash.set(key.hash, id);
    }
  }
}

/** The keys that a change concerns, as copies of keys need it; null if it changes neither keys nor subscription. */
function changedFor(before: Account | null, next: Account): readonly KeyHash[] | null {
  const all = next.keys.map(({ hash }) => hash);
  if (before === null || !isDeepStrictEqual(before.subscription, next.subscription)) return all;
  const known = new Map(before.keys.map((key) => [key.hash, key]));
  const kept = new Map(next.keys.map((key) => [key.hash, key]));
  const hashes = [...new Set([...known.keys(), ...all])];
  const changed = hashes.filter((hash) => !isDeepStrictEqual(known.get(hash), kept.get(hash)));
  return changed.length === 0 ? null : changed;
}
