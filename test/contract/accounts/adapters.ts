import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { MemoryAccountLists } from '../../../src/adapters/memory/accounts/memory-account-lists.js';
import { MemoryAccountStatistics } from '../../../src/adapters/memory/accounts/memory-account-statistics.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { MemoryPaymentInbox } from '../../../src/adapters/memory/billing/memory-payment-inbox.js';
import { MemoryUsageHistory } from '../../../src/adapters/memory/limits/memory-usage-history.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { PostgresAccountLists } from '../../../src/adapters/postgres/accounts/postgres-account-lists.js';
import { PostgresAccountStatistics } from '../../../src/adapters/postgres/accounts/postgres-account-statistics.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../../src/adapters/postgres/accounts/postgres-outbox.js';
import { PostgresPaymentInbox } from '../../../src/adapters/postgres/billing/postgres-payment-inbox.js';
import { PostgresUsageHistory } from '../../../src/adapters/postgres/limits/postgres-usage-history.js';
import type { AccountLists } from '../../../src/application/ports/accounts/account-lists.js';
import type { AccountStatistics } from '../../../src/application/ports/accounts/account-statistics.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { Outbox } from '../../../src/application/ports/accounts/outbox.js';
import type { PaymentInbox } from '../../../src/application/ports/billing/payment-inbox.js';
import type { UsageHistory } from '../../../src/application/ports/limits/usage-history.js';
import { type Adapters, around, guard, inMemory, inPostgres, throttle } from '../opening.js';

const memory = inMemory<Accounts>(() => new MemoryAccounts());

export const accounts: Adapters<
  Accounts,
  'memory' | 'Postgres' | 'memory, announcing' | 'memory, guarded' | 'memory, throttled'
> = {
  memory,
  Postgres: inPostgres((db) => new PostgresAccounts(db)),
  'memory, announcing': around(memory, (stored) => invalidatingAccounts(stored, new MemoryInvalidations())),
  'memory, guarded': around(memory, (stored) => guard(stored, 'find', 'change')),
  'memory, throttled': around(memory, throttle),
};

/** The outbox, with the accounts whose notices it has. */
export type OutboxAndAccounts = { readonly outbox: Outbox; readonly accounts: Accounts };

const outboxInMemory = inMemory<OutboxAndAccounts>(() => {
  const outbox = new MemoryOutbox();
  return { outbox, accounts: new MemoryAccounts(outbox) };
});

export const outboxes: Adapters<OutboxAndAccounts, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: outboxInMemory,
  Postgres: inPostgres((db) => ({ outbox: new PostgresOutbox(db), accounts: new PostgresAccounts(db) })),
  'memory, guarded': around(outboxInMemory, (beside) => ({
    ...beside,
    outbox: guard(beside.outbox, 'claim'),
  })),
};

/** The statistics, with the accounts that they count. */
export type CountedAccounts = { readonly accountStatistics: AccountStatistics; readonly accounts: Accounts };

const countedInMemory = inMemory<CountedAccounts>(() => {
  const accounts = new MemoryAccounts();
  return { accounts, accountStatistics: new MemoryAccountStatistics(accounts) };
});

export const accountStatistics: Adapters<CountedAccounts, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: countedInMemory,
  Postgres: inPostgres((db) => ({
    accounts: new PostgresAccounts(db),
    accountStatistics: new PostgresAccountStatistics(db),
  })),
  'memory, guarded': around(countedInMemory, (beside) => ({
    ...beside,
    accountStatistics: guard(beside.accountStatistics, 'count'),
  })),
};

/** The lists, with the stores that they read. */
export type ListedAccounts = {
  readonly lists: AccountLists;
  readonly accounts: Accounts;
  readonly inbox: PaymentInbox;
  readonly usage: UsageHistory;
};

const listedInMemory = inMemory<ListedAccounts>(() => {
  const accounts = new MemoryAccounts();
  const stores = { accounts, inbox: new MemoryPaymentInbox(accounts), usage: new MemoryUsageHistory() };
  return { ...stores, lists: new MemoryAccountLists(stores) };
});

export const accountLists: Adapters<ListedAccounts, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: listedInMemory,
  Postgres: inPostgres((db) => ({
    lists: new PostgresAccountLists(db),
    accounts: new PostgresAccounts(db),
    inbox: new PostgresPaymentInbox(db),
    usage: new PostgresUsageHistory(db),
  })),
  'memory, guarded': around(listedInMemory, (stored) => ({
    ...stored,
    lists: guard(stored.lists, 'largest', 'busiest'),
  })),
};
