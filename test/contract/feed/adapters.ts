import { copiedWriter } from '../../../src/adapters/caching/feed/copied-writer.js';
import { hotPages } from '../../../src/adapters/caching/feed/hot-pages.js';
import { invalidatingFeedWriter } from '../../../src/adapters/caching/feed/invalidating-feed-writer.js';
import { storedPages } from '../../../src/adapters/caching/feed/stored-pages.js';
import { LiveFeed } from '../../../src/adapters/live/changes/live-feed.js';
import { MemoryAccounts } from '../../../src/adapters/memory/accounts/memory-accounts.js';
import { MemoryFeedHistory } from '../../../src/adapters/memory/feed/memory-feed-history.js';
import { MemoryFeedStore } from '../../../src/adapters/memory/feed/memory-feed-store.js';
import { MemoryItemOrders } from '../../../src/adapters/memory/feed/memory-item-orders.js';
import { MemoryUnindexedItems } from '../../../src/adapters/memory/feed/memory-unindexed-items.js';
import { MemoryChangeLogs } from '../../../src/adapters/memory/memory-change-logs.js';
import { MemoryInvalidations } from '../../../src/adapters/memory/memory-invalidations.js';
import { readStateAt } from '../../../src/adapters/postgres/feed/feed-queries.js';
import { PostgresFeedHistory } from '../../../src/adapters/postgres/feed/postgres-feed-history.js';
import { PostgresFeedPast } from '../../../src/adapters/postgres/feed/postgres-feed-past.js';
import { PostgresItemOrders } from '../../../src/adapters/postgres/feed/postgres-item-orders.js';
import { PostgresUnindexedItems } from '../../../src/adapters/postgres/feed/postgres-unindexed-items.js';
import { replicatedPages } from '../../../src/adapters/postgres/feed/replicated-pages.js';
import { PostgresChangeLogs } from '../../../src/adapters/postgres/postgres-change-logs.js';
import type { ChangeLogs } from '../../../src/application/ports/change-logs.js';
import type { FeedHistory } from '../../../src/application/ports/feed/feed-history.js';
import type { FeedPast } from '../../../src/application/ports/feed/feed-past.js';
import type { FeedRange, FeedStore, FeedWriter } from '../../../src/application/ports/feed/feed-store.js';
import type { FollowedFeed as FollowedFeedPort } from '../../../src/application/ports/feed/followed-feed.js';
import type { ItemOrders } from '../../../src/application/ports/feed/item-orders.js';
import type { UnindexedItems } from '../../../src/application/ports/feed/unindexed-items.js';
import { AMONG_OTHERS, type FollowedFeed, followedFeed } from '../../support/copies/followed-feed.js';
import { joinedFeed, postgresFeed } from '../../support/copies/joined-feed.js';
import { type FollowedLiveFeed, liveFeedOf } from '../../support/copies/live-feed.js';
import { freshSchema } from '../../support/servers/stores.js';
import { withoutTriggers } from '../../support/servers/without-triggers.js';
import { type Adapters, around, guard, inMemory, inPostgres, type Open, throttle } from '../opening.js';
import { LaggingReplica } from './lagging-replica.js';

const ordersInMemory = inMemory<ItemOrders>(() => new MemoryItemOrders());

export const itemOrders: Adapters<ItemOrders, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: ordersInMemory,
  Postgres: inPostgres((db) => new PostgresItemOrders(db)),
  'memory, guarded': around(ordersInMemory, (stored) => guard(stored, 'add', 'of')),
};

const memory = inMemory<FeedStore>(() => new MemoryFeedStore());

/** Pages below a cursor are read from a lagging replica. */
const replicated: Open<FeedStore> = async () => {
  const schema = await freshSchema();
  const replicas: LaggingReplica[] = [];
  const instance = async () => {
    const db = schema.connect();
    const replica = new LaggingReplica(schema.connect(1));
    replicas.push(replica);
    const report = (fault: unknown) => {
      throw fault;
    };
    const primary = postgresFeed(db);
    const pages = replicatedPages(primary, (n) => readStateAt(db, n), [replica.page], report);
    return joinedFeed(primary, pages, primary);
  };
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await schema.close();
  };
  return { freshness: 'immediate', instance, close };
};

const lostId = (id: string) => `lost ${id}`;

/**
 * The replica has another history (D45): as many changes, of other items at the same times. It claims to have every change to
 * the past of the feed.
 */
const replicatedElsewhere: Open<FeedStore> = async () => {
  const schema = await freshSchema();
  const lost = new MemoryFeedStore();
  const replica = async (range: FeedRange) => {
    const page = lost.page(range);
    const n = page.position.n;
    return { ...page, lastChange: n, lastPastChange: n };
  };
  const instance = async () => {
    const db = schema.connect();
    const stored = postgresFeed(db);
    const both: FeedWriter = {
      publish: async (items, mode) => {
        await lost.publish(
          items.map((item) => ({ ...item, id: lostId(item.id) })),
          mode,
        );
        return stored.publish(items, mode);
      },
      retract: async (id) => {
        await lost.retract(lostId(id));
        return stored.retract(id);
      },
      purge: async (id, order) => {
        await lost.purge(lostId(id), order);
        return stored.purge(id, order);
      },
    };
    const report = (fault: unknown) => {
      throw fault;
    };
    const pages = replicatedPages(stored, (n) => readStateAt(db, n), [replica], report);
    return joinedFeed(stored, pages, both);
  };
  return { freshness: 'immediate', instance, close: schema.close };
};

/** Few, so that most tests read more items than the copy has. */
const HOT_ITEMS = 3;

/** Each instance serves the newest items from its own copy, which follows the change log. No message between them arrives. */
const hot: Open<FeedStore> = async () => {
  const stored = new MemoryFeedStore();
  const followed: FollowedFeed[] = [];
  const instance = async () => {
    const one = await followedFeed(stored, HOT_ITEMS);
    followed.push(one);
    const pages = hotPages(storedPages(stored, one.copy, one.follower), one.copy, one.follower, AMONG_OTHERS);
    const announcing = invalidatingFeedWriter(stored, new MemoryInvalidations());
    return joinedFeed(stored, pages, copiedWriter(announcing, one.copy, one.follower));
  };
  const caughtUp = async () => {
    await Promise.all(followed.map((one) => one.caughtUp()));
  };
  const close = async () => {
    await Promise.all(followed.map(({ follower }) => follower.close()));
  };
  return { freshness: 'eventual', caughtUp, instance, close };
};

export const feedStores: Adapters<
  FeedStore,
  | 'memory'
  | 'Postgres'
  | 'Postgres, replicated'
  | 'Postgres, replica with another history'
  | 'memory, hot'
  | 'memory, announcing'
  | 'memory, guarded'
  | 'memory, throttled'
> = {
  memory,
  Postgres: inPostgres(postgresFeed),
  'Postgres, replicated': replicated,
  'Postgres, replica with another history': replicatedElsewhere,
  'memory, hot': hot,
  'memory, announcing': around(memory, (feed) =>
    joinedFeed(feed, feed, invalidatingFeedWriter(feed, new MemoryInvalidations())),
  ),
  'memory, guarded': around(memory, (feed) => guard(feed, 'page')),
  'memory, throttled': around(memory, throttle),
};

/** What indexes items, the feed that they are in, and how the previous version would store them: without terms. */
export type IndexedFeed = {
  readonly unindexedItems: UnindexedItems;
  readonly feed: FeedStore;
  readonly removeTerms: () => Promise<void>;
};

const indexedInMemory = inMemory<IndexedFeed>(() => ({
  unindexedItems: new MemoryUnindexedItems(),
  feed: new MemoryFeedStore(),
  removeTerms: async () => {},
}));

const indexedInPostgres = inPostgres<IndexedFeed>((db) => ({
  unindexedItems: new PostgresUnindexedItems(db),
  feed: postgresFeed(db),
  removeTerms: async () => {
    await db.raw('truncate item_terms, item_facet');
    await db('item').update({ has_terms: null });
  },
}));

export const unindexedItems: Adapters<IndexedFeed, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: indexedInMemory,
  Postgres: indexedInPostgres,
  'memory, guarded': around(indexedInMemory, (indexed) => ({
    ...indexed,
    unindexedItems: guard(indexed.unindexedItems, 'index'),
  })),
};

/** The history of a feed, and what writes to the feed. */
export type KnownFeed = { readonly past: FeedPast; readonly feed: FeedStore };

const pastInMemory = inMemory<KnownFeed>(() => {
  const feed = new MemoryFeedStore();
  return { feed, past: feed.past };
});

const pastInPostgres = inPostgres<KnownFeed>((db) => ({
  feed: postgresFeed(db),
  past: new PostgresFeedPast(db),
}));

export const feedPasts: Adapters<KnownFeed, 'memory' | 'Postgres' | 'memory, guarded'> = {
  memory: pastInMemory,
  Postgres: pastInPostgres,
  'memory, guarded': around(pastInMemory, (known) => ({ ...known, past: guard(known.past, 'page') })),
};

/** The past of a feed, and what writes to the feed. */
export type PastFeed = {
  readonly history: FeedHistory;
  readonly feed: FeedStore;
  /** Removes the oldest changes of the log, but never the newest one. */
  readonly removeOldest: (count: number) => Promise<void>;
};

type LoggedPast = PastFeed & {
  readonly logs: () => ChangeLogs & { readonly close?: () => Promise<void> };
};

const historyInMemory = inMemory<LoggedPast>(() => {
  const feed = new MemoryFeedStore();
  const removeOldest = async (count: number) => {
    feed.log.removeOldest(count);
  };
  const logs = () => new MemoryChangeLogs(new MemoryAccounts(), feed);
  return { feed, history: new MemoryFeedHistory(feed), removeOldest, logs };
});

const historyInPostgres = inPostgres<LoggedPast>((db, url) => {
  const removeOldest = async (count: number) => {
    await withoutTriggers(
      db,
      `delete from feed_change
       where n < least((select min(n) + ${count} from feed_change), (select max(n) from feed_change))`,
    );
  };
  const logs = () => new PostgresChangeLogs(url);
  return { feed: postgresFeed(db), history: new PostgresFeedHistory(db), removeOldest, logs };
});

const guardedHistory = (past: LoggedPast): LoggedPast => ({
  ...past,
  history: guard(past.history, 'changes'),
});

export const feedHistories: Adapters<
  PastFeed,
  'memory' | 'Postgres' | 'memory, guarded' | 'Postgres, guarded'
> = {
  memory: historyInMemory,
  Postgres: historyInPostgres,
  'memory, guarded': around(historyInMemory, guardedHistory),
  'Postgres, guarded': around(historyInPostgres, guardedHistory),
};

/** A feed with its past, as one instance follows it. */
export type FollowedPast = PastFeed & { readonly followed: FollowedFeedPort };

/** Few, so that most changes are read in blocks. */
const WINDOW_BYTES = 1_000;

/** Each instance follows the log by itself, once it is asked to. */
const followedPast =
  (open: Open<LoggedPast>): Open<FollowedPast> =>
  async () => {
    const stored = await open();
    const all: FollowedLiveFeed[] = [];
    const closers: (() => Promise<void>)[] = [];
    const instance = async () => {
      const past = await stored.instance();
      const logs = past.logs();
      const followed = liveFeedOf(
        { ...past, logs },
        (options) => new LiveFeed({ ...options, windowBytes: WINDOW_BYTES }),
      );
      all.push(followed);
      closers.push(
        () => followed.follower.close(),
        async () => logs.close?.(),
      );
      await followed.follower.start();
      return { ...past, followed: followed.liveFeed };
    };
    const caughtUp = async () => {
      await Promise.all(all.map((one) => one.caughtUp()));
    };
    const close = async () => {
      for (const closing of closers) await closing();
      await stored.close();
    };
    return { freshness: 'eventual', caughtUp, instance, close };
  };

export const followedFeeds: Adapters<FollowedPast, 'memory' | 'Postgres'> = {
  memory: followedPast(historyInMemory),
  Postgres: followedPast(historyInPostgres),
};
