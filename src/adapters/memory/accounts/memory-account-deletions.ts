import type {
  AccountDeletions,
  DecideDeletion,
} from '../../../application/ports/accounts/account-deletions.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import type { Moment } from '../../../domain/moment.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { MemoryPaymentInbox } from '../billing/memory-payment-inbox.js';
import type { MemoryDestinations } from '../destinations/memory-destinations.js';
import type { MemorySandboxKeys } from '../keys/memory-sandbox-keys.js';
import type { MemoryRequestLogs } from '../limits/memory-request-logs.js';
import type { MemoryIdentities } from '../sign-in/memory-identities.js';
import type { MemoryOneTimeTokens } from '../sign-in/memory-one-time-tokens.js';
import type { MemorySessions } from '../sign-in/memory-sessions.js';
import type { MemoryAccounts } from './memory-accounts.js';
import type { MemoryOutbox } from './memory-outbox.js';

type PersonalStores = {
  readonly accounts: MemoryAccounts;
  readonly outbox: MemoryOutbox;
  readonly identities: MemoryIdentities;
  readonly inbox: MemoryPaymentInbox;
  readonly sessions: MemorySessions;
  readonly oneTimeTokens: MemoryOneTimeTokens;
  readonly destinations: MemoryDestinations;
  readonly requestLogs: MemoryRequestLogs;
  readonly sandboxKeys: MemorySandboxKeys;
};

/** Deletes accounts of one process. It needs no lock, because nothing is awaited before everything is deleted. */
export class MemoryAccountDeletions implements AccountDeletions {
  readonly #stores: PersonalStores;

  constructor(stores: PersonalStores) {
    this.#stores = stores;
  }

  async delete(id: AccountId, now: Moment, decide: DecideDeletion): Promise<Account | Refusal> {
    const { accounts, outbox, identities, inbox, sessions, oneTimeTokens, destinations, requestLogs } =
      this.#stores;
    const before = accounts.ofId(id);
    const deleted = accounts.deleteNow(id, (account) => decide(account, inbox.unappliedOf(account)));
    if (before === null || isRefusal(deleted)) return deleted;
    this.#stores.sandboxKeys.deleteOf(id);
    outbox.deleteOf(id);
    destinations.removeOf(id);
    requestLogs.deleteOf(accounts.keysOf(id));
    identities.deleteOf(id);
    inbox.deletePayloads(deleted, now);
    const ending = [
      sessions.endAll({ kind: 'account', account: id }),
      oneTimeTokens.removeLinks(before.email),
    ];
    await Promise.all(ending);
    return deleted;
  }
}
