import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryOutbox } from '../../../src/adapters/memory/accounts/memory-outbox.js';
import { MemoryIdentities } from '../../../src/adapters/memory/sign-in/memory-identities.js';
import { MemoryOneTimeTokens } from '../../../src/adapters/memory/sign-in/memory-one-time-tokens.js';
import { MemorySessions } from '../../../src/adapters/memory/sign-in/memory-sessions.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../../src/adapters/postgres/accounts/postgres-outbox.js';
import { PostgresIdentities } from '../../../src/adapters/postgres/sign-in/postgres-identities.js';
import { PostgresOneTimeTokens } from '../../../src/adapters/postgres/sign-in/postgres-one-time-tokens.js';
import { PostgresSessions } from '../../../src/adapters/postgres/sign-in/postgres-sessions.js';
import type { Identities } from '../../../src/application/ports/sign-in/identities.js';
import type { OneTimeTokens } from '../../../src/application/ports/sign-in/one-time-tokens.js';
import type { Sessions } from '../../../src/application/ports/sign-in/sessions.js';
import type { OutboxAndAccounts } from '../accounts/adapters.js';
import { type Adapters, around, guard, inMemory, inPostgres, throttle } from '../opening.js';

type Stored = 'memory' | 'Postgres' | 'memory, guarded' | 'memory, throttled';

/** Identities with the accounts that they sign in to, and the outbox of those accounts. */
export type IdentitiesAndAccounts = OutboxAndAccounts & { readonly identities: Identities };

const identitiesInMemory = inMemory<IdentitiesAndAccounts>(() => {
  const outbox = new MemoryOutbox();
  const accounts = new MemoryAccounts(outbox);
  return { outbox, accounts, identities: new MemoryIdentities(accounts) };
});
const withIdentities = (wrap: (identities: Identities) => Identities) =>
  around(identitiesInMemory, (beside) => ({ ...beside, identities: wrap(beside.identities) }));

export const identities: Adapters<IdentitiesAndAccounts, Stored> = {
  memory: identitiesInMemory,
  Postgres: inPostgres((db) => ({
    outbox: new PostgresOutbox(db),
    identities: new PostgresIdentities(db),
    accounts: new PostgresAccounts(db),
  })),
  'memory, guarded': withIdentities((stored) => guard(stored, 'join')),
  'memory, throttled': withIdentities(throttle),
};

const sessionsInMemory = inMemory<Sessions>(() => new MemorySessions());

export const sessions: Adapters<Sessions, Stored> = {
  memory: sessionsInMemory,
  Postgres: inPostgres((db) => new PostgresSessions(db)),
  'memory, guarded': around(sessionsInMemory, (stored) => guard(stored, 'find')),
  'memory, throttled': around(sessionsInMemory, throttle),
};

const oneTimeTokensInMemory = inMemory<OneTimeTokens>(() => new MemoryOneTimeTokens());

export const oneTimeTokens: Adapters<OneTimeTokens, Stored> = {
  memory: oneTimeTokensInMemory,
  Postgres: inPostgres((db) => new PostgresOneTimeTokens(db)),
  'memory, guarded': around(oneTimeTokensInMemory, (stored) => guard(stored, 'take')),
  'memory, throttled': around(oneTimeTokensInMemory, throttle),
};
