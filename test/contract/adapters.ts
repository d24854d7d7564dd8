// Longer than 300 lines: a table of every adapter is read as a whole.
import type { Knex } from 'knex';
import { countedInvalidations } from '../../src/adapters/caching/counted-invalidations.js';
import { invalidatingAccountDeletions } from '../../src/adapters/caching/invalidating-account-deletions.js';
import { MemoryAccountDeletions } from '../../src/adapters/memory/accounts/memory-account-deletions.js';
import { MemoryAccounts } from '../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryPaymentInbox } from '../../src/adapters/memory/billing/memory-payment-inbox.js';
import { MemoryDestinations } from '../../src/adapters/memory/destinations/memory-destinations.js';
import { MemoryFeedStore } from '../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryKeyUses } from '../../src/adapters/memory/keys/memory-key-uses.js';
import { MemorySandboxKeys } from '../../src/adapters/memory/keys/memory-sandbox-keys.js';
import { MemoryRequestLogs } from '../../src/adapters/memory/limits/memory-request-logs.js';
import { MemoryChangeLogs } from '../../src/adapters/memory/memory-change-logs.js';
import { MemoryExpiredRows } from '../../src/adapters/memory/memory-expired-rows.js';
import { MemoryHeldLeases } from '../../src/adapters/memory/memory-held-leases.js';
import { MemoryInvalidations } from '../../src/adapters/memory/memory-invalidations.js';
import { MemoryLeases } from '../../src/adapters/memory/memory-leases.js';
import { memoryStores } from '../../src/adapters/memory/memory-stores.js';
import { PostgresAccountDeletions } from '../../src/adapters/postgres/accounts/postgres-account-deletions.js';
import { PostgresAccounts } from '../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresPaymentInbox } from '../../src/adapters/postgres/billing/postgres-payment-inbox.js';
import { PostgresDestinations } from '../../src/adapters/postgres/destinations/postgres-destinations.js';
import { PostgresMarketDirectory } from '../../src/adapters/postgres/feed/markets/postgres-market-directory.js';
import { PostgresMarketProjection } from '../../src/adapters/postgres/feed/markets/postgres-market-projection.js';
import { PostgresFeedPast } from '../../src/adapters/postgres/feed/postgres-feed-past.js';
import { Instances } from '../../src/adapters/postgres/instances.js';
import { PostgresKeyUses } from '../../src/adapters/postgres/keys/postgres-key-uses.js';
import { PostgresSandboxKeys } from '../../src/adapters/postgres/keys/postgres-sandbox-keys.js';
import { PostgresRequestLogs } from '../../src/adapters/postgres/limits/postgres-request-logs.js';
import { PostgresChangeLogs } from '../../src/adapters/postgres/postgres-change-logs.js';
import { PostgresHeldLeases } from '../../src/adapters/postgres/postgres-held-leases.js';
import { PostgresInvalidations } from '../../src/adapters/postgres/postgres-invalidations.js';
import { PostgresLeases } from '../../src/adapters/postgres/postgres-leases.js';
import { postgresStores } from '../../src/adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../../src/adapters/postgres/postgres-test-clock.js';
import { PostgresExpiredRows } from '../../src/adapters/postgres/retention/postgres-expired-rows.js';
import { RedisInvalidations } from '../../src/adapters/redis/redis-invalidations.js';
import { ShiftedClock, systemClock } from '../../src/adapters/system/system-clock.js';
import type { Accounts } from '../../src/application/ports/accounts/accounts.js';
import type { PaymentInbox } from '../../src/application/ports/billing/payment-inbox.js';
import type { ChangeLogs } from '../../src/application/ports/change-logs.js';
import type { Clock, TestClock } from '../../src/application/ports/clock.js';
import type { FeedStore } from '../../src/application/ports/feed/feed-store.js';
import type { HeldLeases } from '../../src/application/ports/held-leases.js';
import type { Invalidations } from '../../src/application/ports/invalidations.js';
import type { KeyUses } from '../../src/application/ports/keys/key-uses.js';
import type { Leases } from '../../src/application/ports/leases.js';
import type { Stores } from '../../src/application/ports/stores.js';
import { postgresFeed } from '../support/copies/joined-feed.js';
import { freshSchema } from '../support/servers/stores.js';
import { withoutTriggers } from '../support/servers/without-triggers.js';
import { accountLists, accountStatistics, accounts, outboxes } from './accounts/adapters.js';
import { inboxes } from './billing/adapters.js';
import {
  feedHistories,
  feedPasts,
  feedStores,
  followedFeeds,
  itemOrders,
  unindexedItems,
} from './feed/adapters.js';
import { marketDirectories } from './feed/markets/adapters.js';
import { gates, keyUses, storedGates } from './keys/adapters.js';
import { abuseSignals, accountUsages, counters, streamSlots, usageHistories } from './limits/adapters.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open, overRedis } from './opening.js';
import { identities, oneTimeTokens, sessions } from './sign-in/adapters.js';

const signalsInMemory = inMemory<Invalidations>(() => new MemoryInvalidations());

const signalsInPostgres: Open<Invalidations> = async () => {
  const schema = await freshSchema();
  const opened: PostgresInvalidations[] = [];
  const instance = async () => {
    const invalidations = new PostgresInvalidations(schema.connect(), schema.url);
    opened.push(invalidations);
    await invalidations.start();
    return invalidations;
  };
  const close = async () => {
    await Promise.all(opened.map((invalidations) => invalidations.close()));
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

const invalidations: Adapters<Invalidations, 'memory' | 'Postgres' | 'Redis' | 'memory, counted'> = {
  memory: signalsInMemory,
  Postgres: signalsInPostgres,
  Redis: overRedis(async (connect) => {
    const redis = new RedisInvalidations(await connect());
    await redis.start();
    return redis;
  }),
  'memory, counted': around(signalsInMemory, (stored) => countedInvalidations(stored, () => {})),
};

const allPostgresStores = (db: Knex): Stores => ({
  ...postgresStores(db),
  feedPages: postgresFeed(db),
  feedPast: new PostgresFeedPast(db),
  marketDirectory: new PostgresMarketDirectory(db),
  marketProjection: new PostgresMarketProjection(db),
});

const storesInMemory = inMemory<Stores>(() => {
  const stores = memoryStores();
  return { ...stores, expiredRows: new MemoryExpiredRows(stores) };
});

/** All stores, because most of them have personal data. */
const accountDeletions: Adapters<Stores, 'memory' | 'Postgres' | 'memory, announcing' | 'memory, guarded'> = {
  memory: inMemory<Stores>(() => {
    const stores = memoryStores();
    return { ...stores, accountDeletions: new MemoryAccountDeletions(stores) };
  }),
  Postgres: inPostgres((db) => ({
    ...allPostgresStores(db),
    accountDeletions: new PostgresAccountDeletions(db),
  })),
  'memory, announcing': around(storesInMemory, (stores) => ({
    ...stores,
    accountDeletions: invalidatingAccountDeletions(stores.accountDeletions, new MemoryInvalidations()),
  })),
  'memory, guarded': around(storesInMemory, (stores) => ({
    ...stores,
    accountDeletions: guard(stores.accountDeletions, 'delete'),
  })),
};

/** All stores, because each has rows that expire. */
const expiredRows: Adapters<Stores, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: storesInMemory,
  Postgres: inPostgres((db) => ({ ...allPostgresStores(db), expiredRows: new PostgresExpiredRows(db) })),
  'memory, guarded': around(storesInMemory, (stores) => ({
    ...stores,
    expiredRows: guard(stores.expiredRows, 'delete'),
  })),
};

/** All stores, because a request is stored only of a key that exists, and deleted with its account. */
const requestLogs: Adapters<Stores, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: inMemory<Stores>(() => {
    const stores = memoryStores();
    const requestLogs = new MemoryRequestLogs(stores);
    return {
      ...stores,
      requestLogs,
      accountDeletions: new MemoryAccountDeletions({ ...stores, requestLogs }),
    };
  }),
  Postgres: inPostgres((db) => ({ ...allPostgresStores(db), requestLogs: new PostgresRequestLogs(db) })),
  'memory, guarded': around(storesInMemory, (stores) => ({
    ...stores,
    requestLogs: guard(stores.requestLogs, 'add'),
  })),
};

/** All stores, because a key belongs to an account, and is deleted with it. */
const sandboxKeys: Adapters<Stores, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: inMemory<Stores>(() => {
    const stores = memoryStores();
    const keys = new MemorySandboxKeys(stores.accounts);
    const deletions = new MemoryAccountDeletions({ ...stores, sandboxKeys: keys });
    return { ...stores, sandboxKeys: keys, accountDeletions: deletions };
  }),
  Postgres: inPostgres((db) => ({ ...allPostgresStores(db), sandboxKeys: new PostgresSandboxKeys(db) })),
  'memory, guarded': around(storesInMemory, (stores) => ({
    ...stores,
    sandboxKeys: guard(stores.sandboxKeys, 'find', 'of'),
  })),
};

const leasesInMemory = inMemory<Leases>(() => new MemoryLeases());

const leases: Adapters<Leases, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: leasesInMemory,
  Postgres: inPostgres((db) => new PostgresLeases(db)),
  'memory, guarded': around(leasesInMemory, (stored) => guard(stored, 'acquire')),
};

/** A test clock, and the time that it shows. */
export type MovedClock = { readonly testClock: TestClock; readonly now: Clock };

const heldLeasesInMemory = inMemory<HeldLeases>(() => new MemoryHeldLeases());

const heldLeases: Adapters<HeldLeases, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: heldLeasesInMemory,
  Postgres: inPostgres((db) => new PostgresHeldLeases(db)),
  'memory, guarded': around(heldLeasesInMemory, (stored) => guard(stored, 'renew')),
};

/** All stores, because destinations belong to accounts, begin at a change of the feed, and are delivered to under a lease. */
const destinations: Adapters<Stores, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: inMemory<Stores>(() => {
    const stores = memoryStores();
    const [newest, clock] = [() => stores.feed.log.newest, systemClock];
    const destinations = new MemoryDestinations({ ...stores, newest, clock });
    const accountDeletions = new MemoryAccountDeletions({ ...stores, destinations });
    return { ...stores, destinations, accountDeletions };
  }),
  Postgres: inPostgres((db) => ({ ...allPostgresStores(db), destinations: new PostgresDestinations(db) })),
  'memory, guarded': around(storesInMemory, (stores) => ({
    ...stores,
    destinations: guard(stores.destinations, 'record'),
  })),
};

const clockInPostgres: Open<MovedClock> = async () => {
  const schema = await freshSchema();
  const opened: { readonly close: () => Promise<void> }[] = [];
  const instance = async () => {
    const db = schema.connect();
    const instances = new Instances(db, () => {});
    const testClock = new PostgresTestClock(db, instances, systemClock);
    opened.push(testClock, instances);
    await instances.beat();
    await testClock.start();
    return { testClock, now: testClock.now };
  };
  const close = async () => {
    for (const one of opened) await one.close();
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

const testClocks: Adapters<MovedClock, 'memory' | 'Postgres'> = {
  memory: inMemory(() => {
    const testClock = new ShiftedClock();
    return { testClock, now: testClock.now };
  }),
  Postgres: clockInPostgres,
};

/** The change logs of a store, and what writes to it. */
export type LoggedStore = {
  readonly logs: ChangeLogs;
  readonly feed: FeedStore;
  readonly accounts: Accounts;
  readonly keyUses: KeyUses;
  readonly inbox: PaymentInbox;
  /** Removes all changes of both logs except for the newest ones. */
  readonly removeOldChanges: () => Promise<void>;
};

const logsInPostgres: Open<LoggedStore> = async () => {
  const schema = await freshSchema();
  const opened: { readonly close: () => Promise<void> }[] = [];
  const instance = async () => {
    const db = schema.connect();
    const [logs, keyUses] = [new PostgresChangeLogs(schema.url), new PostgresKeyUses(db)];
    opened.push(logs, keyUses);
    return {
      ...{ logs, keyUses, feed: postgresFeed(db) },
      ...{ accounts: new PostgresAccounts(db), inbox: new PostgresPaymentInbox(db) },
      removeOldChanges: async () => {
        const deletions = ['account_change', 'feed_change'].map(
          (table) => `delete from ${table} where n < (select max(n) from ${table})`,
        );
        await withoutTriggers(db, ...deletions);
      },
    };
  };
  const close = async () => {
    for (const one of opened) await one.close();
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

const changeLogs: Adapters<LoggedStore, 'memory' | 'Postgres'> = {
  memory: inMemory(() => {
    const [accounts, feed] = [new MemoryAccounts(), new MemoryFeedStore()];
    return {
      ...{ accounts, feed, logs: new MemoryChangeLogs(accounts, feed) },
      ...{ keyUses: new MemoryKeyUses(), inbox: new MemoryPaymentInbox(accounts) },
      removeOldChanges: async () => {
        for (const { log } of [accounts, feed]) log.removeOldest(Number.POSITIVE_INFINITY);
      },
    };
  }),
  Postgres: logsInPostgres,
};

/**
 * Every port with a contract, and all its adapters, including wrappers. A new adapter is a row in the table of its
 * subject; `adapters.spec.ts` fails without it.
 */
export const contracts = {
  accounts,
  accountDeletions,
  accountLists,
  accountStatistics,
  accountUsages,
  counters,
  destinations,
  expiredRows,
  feedHistories,
  feedPasts,
  feedStores,
  followedFeeds,
  gates,
  heldLeases,
  identities,
  inboxes,
  itemOrders,
  keyUses,
  marketDirectories,
  outboxes,
  requestLogs,
  sandboxKeys,
  sessions,
  storedGates,
  abuseSignals,
  changeLogs,
  invalidations,
  testClocks,
  oneTimeTokens,
  leases,
  streamSlots,
  unindexedItems,
  usageHistories,
} as const;
