import type { Knex } from 'knex';
import { announcingAccounts } from '../../src/adapters/caching/announcing-accounts.js';
import { CachedGate } from '../../src/adapters/caching/cached-gate.js';
import { MemoryAccounts } from '../../src/adapters/memory/memory-accounts.js';
import { MemoryCounters } from '../../src/adapters/memory/memory-counters.js';
import { MemoryFeedStore } from '../../src/adapters/memory/memory-feed-store.js';
import { MemoryGate } from '../../src/adapters/memory/memory-gate.js';
import { MemoryIdentities } from '../../src/adapters/memory/memory-identities.js';
import { MemoryLastUsed } from '../../src/adapters/memory/memory-last-used.js';
import { MemoryOutbox } from '../../src/adapters/memory/memory-outbox.js';
import { MemoryPaymentInbox } from '../../src/adapters/memory/memory-payment-inbox.js';
import { MemorySessions } from '../../src/adapters/memory/memory-sessions.js';
import { MemorySightings } from '../../src/adapters/memory/memory-sightings.js';
import { MemorySignals } from '../../src/adapters/memory/memory-signals.js';
import { MemoryTickets } from '../../src/adapters/memory/memory-tickets.js';
import { MemoryTurns } from '../../src/adapters/memory/memory-turns.js';
import { MemoryUsageHistory } from '../../src/adapters/memory/memory-usage-history.js';
import { PostgresAccounts } from '../../src/adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../../src/adapters/postgres/accounts/postgres-outbox.js';
import { PostgresPaymentInbox } from '../../src/adapters/postgres/billing/postgres-payment-inbox.js';
import { PostgresFeedStore } from '../../src/adapters/postgres/feed/postgres-feed-store.js';
import { PostgresGate } from '../../src/adapters/postgres/keys/postgres-gate.js';
import { PostgresLastUsed } from '../../src/adapters/postgres/keys/postgres-last-used.js';
import { PostgresUsageHistory } from '../../src/adapters/postgres/limits/postgres-usage-history.js';
import { PostgresSignals } from '../../src/adapters/postgres/postgres-signals.js';
import { PostgresTurns } from '../../src/adapters/postgres/postgres-turns.js';
import { PostgresIdentities } from '../../src/adapters/postgres/sign-in/postgres-identities.js';
import { PostgresSessions } from '../../src/adapters/postgres/sign-in/postgres-sessions.js';
import { PostgresTickets } from '../../src/adapters/postgres/sign-in/postgres-tickets.js';
import { RedisConnection, script } from '../../src/adapters/redis/connection.js';
import { RedisCounters } from '../../src/adapters/redis/redis-counters.js';
import { RedisSightings } from '../../src/adapters/redis/redis-sightings.js';
import { RedisSignals } from '../../src/adapters/redis/redis-signals.js';
import type { Accounts } from '../../src/application/ports/accounts/accounts.js';
import type { Outbox } from '../../src/application/ports/accounts/outbox.js';
import type { PaymentInbox } from '../../src/application/ports/billing/payment-inbox.js';
import type { FeedStore } from '../../src/application/ports/feed/feed-store.js';
import type { Gate } from '../../src/application/ports/keys/gate.js';
import type { LastUsed } from '../../src/application/ports/keys/last-used.js';
import type { Counters } from '../../src/application/ports/limits/counters.js';
import type { Sightings } from '../../src/application/ports/limits/sightings.js';
import type { UsageHistory } from '../../src/application/ports/limits/usage-history.js';
import type { Identities } from '../../src/application/ports/sign-in/identities.js';
import type { Sessions } from '../../src/application/ports/sign-in/sessions.js';
import type { Tickets } from '../../src/application/ports/sign-in/tickets.js';
import type { Signals } from '../../src/application/ports/signals.js';
import type { Turns } from '../../src/application/ports/turns.js';
import { MINUTE, plus, SECOND } from '../../src/domain/moment.js';
import { NOON } from '../support/objects/builders.js';
import { freshSchema, redisUrl } from '../support/servers/stores.js';

/** Opens one store and hands out as many instances over it as a test asks for. */
export type Open<Port> = () => Promise<{ instance: () => Promise<Port>; close: () => Promise<void> }>;

/** A gate beside the accounts whose keys it finds. `heard` answers when the hints sent so far have arrived. */
export type GateAndAccounts = {
  readonly gate: Gate;
  readonly accounts: Accounts;
  readonly heard: () => Promise<void>;
};

/** When keys were last used, beside the accounts that have them. */
export type LastUsedAndAccounts = { readonly lastUsed: LastUsed; readonly accounts: Accounts };

/** Events beside the accounts that they are about. */
export type InboxAndAccounts = { readonly inbox: PaymentInbox; readonly accounts: Accounts };

/** People at providers beside the accounts that they sign in to, and what these are told. */
export type IdentitiesAndAccounts = OutboxAndAccounts & { readonly identities: Identities };

/** Notices beside the accounts whose changes they tell of. */
export type OutboxAndAccounts = { readonly outbox: Outbox; readonly accounts: Accounts };

/** Counters, and whether one that stands above zero still does so many seconds from now. */
export type CountersAndLives = {
  readonly counters: Counters;
  readonly outlives: (counter: string, seconds: number) => Promise<boolean>;
};

const inMemory =
  <Port>(make: () => Port): Open<Port> =>
  async () => {
    const store = make();
    return { instance: async () => store, close: async () => {} };
  };

/** An adapter over a schema of its own; each instance has its own connections. */
const inPostgres =
  <Port>(make: (db: Knex, url: string) => Port): Open<Port> =>
  async () => {
    const schema = await freshSchema();
    return { instance: async () => make(schema.connect(), schema.url), close: schema.close };
  };

/** An adapter over the tests' Redis; each instance has connections of its own. */
const overRedis =
  <Port>(make: (connect: () => Promise<RedisConnection>) => Promise<Port>): Open<Port> =>
  async () => {
    const opened: RedisConnection[] = [];
    const connect = async () => {
      const redis = new RedisConnection([redisUrl()]);
      opened.push(redis);
      await redis.start();
      return redis;
    };
    const close = async () => {
      await Promise.all(opened.map((redis) => redis.close()));
    };
    return { instance: () => make(connect), close };
  };

/** Every port and every adapter that must keep its contract: a new adapter is a line here, and nowhere else. */
export const contracts: {
  readonly accounts: Record<'memory' | 'Postgres', Open<Accounts>>;
  readonly counters: Record<'memory' | 'Redis', Open<CountersAndLives>>;
  readonly feedStore: Record<'memory' | 'Postgres', Open<FeedStore>>;
  readonly gate: Record<'memory' | 'cached' | 'Postgres', Open<GateAndAccounts>>;
  readonly identities: Record<'memory' | 'Postgres', Open<IdentitiesAndAccounts>>;
  readonly lastUsed: Record<'memory' | 'Postgres', Open<LastUsedAndAccounts>>;
  readonly outbox: Record<'memory' | 'Postgres', Open<OutboxAndAccounts>>;
  readonly paymentInbox: Record<'memory' | 'Postgres', Open<InboxAndAccounts>>;
  readonly sessions: Record<'memory' | 'Postgres', Open<Sessions>>;
  readonly sightings: Record<'memory' | 'Redis', Open<Sightings>>;
  readonly tickets: Record<'memory' | 'Postgres', Open<Tickets>>;
  readonly turns: Record<'memory' | 'Postgres', Open<Turns>>;
  readonly signals: Record<'memory' | 'Postgres' | 'Redis', Open<Signals>>;
  readonly usageHistory: Record<'memory' | 'Postgres', Open<UsageHistory>>;
} = {
  accounts: {
    memory: inMemory(() => new MemoryAccounts()),
    Postgres: inPostgres((db) => new PostgresAccounts(db)),
  },
  counters: {
    memory: inMemory(() => {
      let now = NOON;
      const counters = new MemoryCounters(() => now);
      const outlives = async (counter: string, seconds: number) => {
        now = plus(NOON, seconds * SECOND);
        const { counts } = await counters.take([{ counter, capacity: 0, lifetimeSeconds: 1 }], 0);
        now = NOON;
        return counts[0] !== 0;
      };
      return { counters, outlives };
    }),
    Redis: overRedis(async (connect) => {
      const redis = await connect();
      // No script of the adapter's: what the server itself says of its expiry.
      const timeToLive = script("return redis.call('PTTL', KEYS[1])");
      const outlives = async (counter: string, seconds: number) =>
        Number(await redis.run(timeToLive, [`oddswire:${counter}`], [])) > seconds * 1_000;
      return { counters: new RedisCounters(redis), outlives };
    }),
  },
  feedStore: {
    memory: inMemory(() => new MemoryFeedStore()),
    Postgres: inPostgres((db) => new PostgresFeedStore(db)),
  },
  gate: {
    memory: inMemory(() => {
      const accounts = new MemoryAccounts();
      return { accounts, gate: new MemoryGate(accounts), heard: async () => {} };
    }),
    cached: async () => {
      const stored = new MemoryAccounts();
      const signals = new MemorySignals();
      const accounts = announcingAccounts(stored, signals);
      const instance = async () => ({
        accounts,
        heard: async () => {},
        gate: new CachedGate({
          gate: new MemoryGate(stored),
          signals,
          clock: () => NOON,
          maxStale: 10 * MINUTE,
        }),
      });
      return { instance, close: async () => {} };
    },
    Postgres: inPostgres((db) => ({
      gate: new PostgresGate(db),
      accounts: new PostgresAccounts(db),
      heard: async () => {},
    })),
  },
  identities: {
    memory: inMemory(() => {
      const outbox = new MemoryOutbox();
      const accounts = new MemoryAccounts(outbox);
      return { outbox, accounts, identities: new MemoryIdentities(accounts) };
    }),
    Postgres: inPostgres((db) => ({
      outbox: new PostgresOutbox(db),
      identities: new PostgresIdentities(db),
      accounts: new PostgresAccounts(db),
    })),
  },
  lastUsed: {
    memory: inMemory(() => ({ lastUsed: new MemoryLastUsed(), accounts: new MemoryAccounts() })),
    Postgres: inPostgres((db) => ({
      lastUsed: new PostgresLastUsed(db),
      accounts: new PostgresAccounts(db),
    })),
  },
  outbox: {
    memory: inMemory(() => {
      const outbox = new MemoryOutbox();
      return { outbox, accounts: new MemoryAccounts(outbox) };
    }),
    Postgres: inPostgres((db) => ({ outbox: new PostgresOutbox(db), accounts: new PostgresAccounts(db) })),
  },
  paymentInbox: {
    memory: inMemory(() => {
      const accounts = new MemoryAccounts();
      return { accounts, inbox: new MemoryPaymentInbox(accounts) };
    }),
    Postgres: inPostgres((db) => ({
      accounts: new PostgresAccounts(db),
      inbox: new PostgresPaymentInbox(db),
    })),
  },
  sessions: {
    memory: inMemory(() => new MemorySessions()),
    Postgres: inPostgres((db) => new PostgresSessions(db)),
  },
  sightings: {
    memory: inMemory(() => new MemorySightings(() => NOON)),
    Redis: overRedis(async (connect) => new RedisSightings(await connect())),
  },
  tickets: {
    memory: inMemory(() => new MemoryTickets()),
    Postgres: inPostgres((db) => new PostgresTickets(db)),
  },
  turns: {
    memory: inMemory(() => new MemoryTurns()),
    Postgres: inPostgres((db) => new PostgresTurns(db)),
  },
  signals: {
    memory: inMemory(() => new MemorySignals()),
    Redis: overRedis(async (connect) => {
      const signals = new RedisSignals(await connect());
      await signals.start();
      return signals;
    }),
    Postgres: async () => {
      const schema = await freshSchema();
      const opened: PostgresSignals[] = [];
      const instance = async () => {
        const signals = new PostgresSignals(schema.connect(), schema.url);
        opened.push(signals);
        await signals.start();
        return signals;
      };
      const close = async () => {
        await Promise.all(opened.map((signals) => signals.close()));
        await schema.close();
      };
      return { instance, close };
    },
  },
  usageHistory: {
    memory: inMemory(() => new MemoryUsageHistory()),
    Postgres: inPostgres((db) => new PostgresUsageHistory(db)),
  },
};

export function eachAdapter<Port>(
  port: string,
  adapters: Readonly<Record<string, Open<Port>>>,
  suite: (instance: () => Promise<Port>) => void,
): void {
  for (const [name, open] of Object.entries(adapters)) {
    describe(`${port}, kept by ${name},`, () => {
      let store: Awaited<ReturnType<Open<Port>>>;
      before(async () => {
        store = await open();
      });
      after(() => store.close());
      suite(() => store.instance());
    });
  }
}
