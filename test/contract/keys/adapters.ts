import { expect } from 'chai';
import { CachedGate } from '../../../src/adapters/caching/cached-gate.js';
import type { ChangeFollower } from '../../../src/adapters/caching/change-follower.js';
import { invalidatingAccounts } from '../../../src/adapters/caching/invalidating-accounts.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryGate } from '../../../src/adapters/memory/keys/memory-gate.js';
import { MemoryKeyUses } from '../../../src/adapters/memory/keys/memory-key-uses.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { PostgresAccounts } from '../../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresGate } from '../../../src/adapters/postgres/keys/postgres-gate.js';
import { PostgresKeyUses } from '../../../src/adapters/postgres/keys/postgres-key-uses.js';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import type { Accounts } from '../../../src/application/ports/accounts/accounts.js';
import type { ChangeLogs } from '../../../src/application/ports/change-logs.js';
import type { Gate, StoredGate } from '../../../src/application/ports/keys/gate.js';
import type { KeyUses } from '../../../src/application/ports/keys/key-uses.js';
import { followerOf } from '../../support/copies/followed-feed.js';
import { freshSchema } from '../../support/servers/stores.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open } from '../opening.js';

/** A gate with the accounts whose keys it finds. */
export type GateAndAccounts = { readonly gate: Gate; readonly accounts: Accounts };

const memory = inMemory<GateAndAccounts>(() => {
  const accounts = new MemoryAccounts();
  return { accounts, gate: new MemoryGate(accounts) };
});

/** Each instance has its own copies, which are dropped on the invalidations of all instances. */
const cached: Open<GateAndAccounts> = async () => {
  const stored = new MemoryAccounts();
  const invalidations = new MemoryInvalidations();
  const accounts = invalidatingAccounts(stored, invalidations);
  const followers: ChangeFollower[] = [];
  const instance = async () => {
    const follower = followerOf(new MemoryChangeLogs(stored, new MemoryFeedStore()));
    followers.push(follower);
    const gate = new CachedGate({
      ...{ gate: new MemoryGate(stored), invalidations, follower, now: () => performance.now() },
      maxStaleMs: 600_000,
      compareAfterMs: 600_000,
      onDivergence: () => expect.fail('a change was not logged'),
      report: () => expect.fail('a comparison failed'),
    });
    follower.keep({ apply: (changes) => gate.apply(changes.accounts), rebuild: () => gate.dropAll() });
    await follower.start();
    return { accounts, gate };
  };
  // An invalidation in memory is received before `send` resolves.
  const close = async () => {
    await Promise.all(followers.map((follower) => follower.close()));
  };
  return { freshness: 'eventual', caughtUp: async () => {}, instance, close };
};

export const gates: Adapters<GateAndAccounts, 'memory' | 'Postgres' | 'memory, cached' | 'memory, guarded'> =
  {
    memory,
    Postgres: inPostgres((db) => ({ gate: new PostgresGate(db), accounts: new PostgresAccounts(db) })),
    'memory, cached': cached,
    'memory, guarded': around(memory, (beside) => ({ ...beside, gate: guard(beside.gate, 'find') })),
  };

/** The gate of a store with its accounts and their log. */
export type LoggedGate = {
  readonly gate: StoredGate;
  readonly accounts: Accounts;
  readonly logs: ChangeLogs;
};

const loggedInMemory = inMemory<LoggedGate>(() => {
  const accounts = new MemoryAccounts();
  const logs = new MemoryChangeLogs(accounts, new MemoryFeedStore());
  return { accounts, gate: new MemoryGate(accounts), logs };
});

const loggedInPostgres: Open<LoggedGate> = async () => {
  const schema = await freshSchema();
  const opened: PostgresChangeLogs[] = [];
  const instance = async () => {
    const [db, logs] = [schema.connect(), new PostgresChangeLogs(schema.url)];
    opened.push(logs);
    return { gate: new PostgresGate(db), accounts: new PostgresAccounts(db), logs };
  };
  const close = async () => {
    await Promise.all(opened.map((logs) => logs.close()));
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

export const storedGates: Adapters<LoggedGate, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: loggedInMemory,
  Postgres: loggedInPostgres,
  'memory, guarded': around(loggedInMemory, (beside) => ({
    ...beside,
    gate: guard(beside.gate, 'find', 'snapshot'),
  })),
};

/** The last use of keys, with the accounts that have them. */
export type LastUsedAndAccounts = { readonly keyUses: KeyUses; readonly accounts: Accounts };

export const keyUses: Adapters<LastUsedAndAccounts, 'memory' | 'Postgres'> = {
  memory: inMemory(() => ({ keyUses: new MemoryKeyUses(), accounts: new MemoryAccounts() })),
  Postgres: inPostgres((db) => ({ keyUses: new PostgresKeyUses(db), accounts: new PostgresAccounts(db) })),
};
