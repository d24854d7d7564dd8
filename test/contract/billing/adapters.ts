import { invalidatingInbox } from '../../../src/adapters/caching/invalidating-inbox.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryPaymentInbox } from '../../../src/adapters/memory/billing/memory-payment-inbox.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresPaymentInbox } from '../../../src/adapters/postgres/billing/postgres-payment-inbox.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { PaymentInbox } from '../../../src/application/ports/billing/payment-inbox.js';
import { type Adapters, around, guard, inMemory, inPostgres, throttle } from '../opening.js';

/** The inbox with the accounts of its events. */
export type InboxAndAccounts = { readonly inbox: PaymentInbox; readonly accounts: Accounts };

const memory = inMemory<InboxAndAccounts>(() => {
  const accounts = new MemoryAccounts();
  return { accounts, inbox: new MemoryPaymentInbox(accounts) };
});
const withInbox = (wrap: (inbox: PaymentInbox) => PaymentInbox) =>
  around(memory, (beside) => ({ ...beside, inbox: wrap(beside.inbox) }));

export const inboxes: Adapters<
  InboxAndAccounts,
  'memory' | 'Postgres' | 'memory, announcing' | 'memory, guarded' | 'memory, throttled'
> = {
  memory,
  Postgres: inPostgres((db) => ({
    accounts: new PostgresAccounts(db),
    inbox: new PostgresPaymentInbox(db),
  })),
  'memory, announcing': withInbox((inbox) => invalidatingInbox(inbox, new MemoryInvalidations())),
  'memory, guarded': withInbox((inbox) => guard(inbox, 'receive', 'find')),
  'memory, throttled': withInbox(throttle),
};
