import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { MemoryAccountStatistics } from '../../../src/adapters/memory/accounts/memory-account-statistics.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { PostgresAccountStatistics } from '../../../src/adapters/postgres/accounts/postgres-account-statistics.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../../src/adapters/postgres/accounts/postgres-outbox.js';
import type { AccountStatistics } from '../../../src/application/ports/accounts/account-statistics.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { Outbox } from '../../../src/application/ports/accounts/outbox.js';
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
