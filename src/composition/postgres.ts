import { AccountChanges } from '../adapters/caching/account-changes.js';
import { processCopies } from '../adapters/caching/copies.js';
import { hotFeedStore } from '../adapters/caching/feed/hot-feed-store.js';
import { invalidatingFeedStore } from '../adapters/caching/feed/invalidating-feed-store.js';
import { LiveFeed } from '../adapters/live/changes/live-feed.js';
import { prepareDatabase } from '../adapters/postgres/await-database.js';
import { requestPool } from '../adapters/postgres/connection.js';
import { readPageOf, readStateAt } from '../adapters/postgres/feed/feed-queries.js';
import { readAnyPageOf, readFilteredPageOf } from '../adapters/postgres/feed/filtered-pages.js';
import { type PageReads, pagedFeedStore } from '../adapters/postgres/feed/paged-feed-store.js';
import { PostgresFeedHistory } from '../adapters/postgres/feed/postgres-feed-history.js';
import { type ReadPage, replicatedFeedStore } from '../adapters/postgres/feed/replicated-feed-store.js';
import { monitoredInstances } from '../adapters/postgres/instances.js';
import { PostgresChangeLogs } from '../adapters/postgres/postgres-change-logs.js';
import { PostgresInvalidations } from '../adapters/postgres/postgres-invalidations.js';
import { postgresStores } from '../adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../adapters/postgres/postgres-test-clock.js';
import { writeProbe } from '../adapters/postgres/write-probe.js';
import type { Breaker } from '../adapters/resilience/breaker.js';
import { FairQueue } from '../adapters/resilience/fair-queue.js';
import { guarded, guardedPorts } from '../adapters/resilience/guarded.js';
import { limitationOf, monitoredBreaker, monitoredWrites } from '../adapters/resilience/monitored-server.js';
import { uncounted } from '../adapters/resilience/uncounted.js';
import { systemClock } from '../adapters/system/system-clock.js';
import type { ChangeLogs } from '../application/ports/change-logs.js';
import type { FeedHistory } from '../application/ports/feed/feed-history.js';
import type { FeedPageSnapshot, FeedRange, FeedStore } from '../application/ports/feed/feed-store.js';
import type { Gate } from '../application/ports/keys/gate.js';
import type { Stores } from '../application/ports/stores.js';
import type { SubscriptionId } from '../domain/billing/subscription.js';
import { overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import { fillAtStart } from './live-feed.js';
import type { ProcessParts } from './process.js';
import type { SharedParts } from './stores.js';

const CONNECTIONS_MAX = 8;
/** For pages that are not in memory. */
const PAGE_CONNECTIONS_MAX = 4;
/** Of these connections, one subscription uses two. Its further pages wait in line. */
const PAGES = { max: PAGE_CONNECTIONS_MAX, perCaller: 2, waitingPerCaller: 200 };
/** For streams that resume, and for filters by terms: many of them at once must not use the connections of other requests. */
const SEPARATE_CONNECTIONS_MAX = 2;
const FILTERED_PAGES = { max: SEPARATE_CONNECTIONS_MAX, perCaller: 1, waitingPerCaller: 200 };
/** For the question whether Postgres answers, which must not wait for the connections of requests. */
const PROBE_CONNECTIONS_MAX = 1;
/** A request queries the gate, then the feed. The sum of both deadlines stays well below the timeouts of clients. */
const READ_MS = 1_000;
const REPLICA_MS = 500;

const TEXT = {
  dependency: 'Postgres',
  up: 'all reads and writes use it',
  unreachable: 'known keys and the newest items are served from copies; other requests get 503',
  replicaFault: 'a replica returned an unexpected error; the primary serves its requests',
};

export type Database = ReturnType<typeof openDatabase>;

/** Opens a database and monitors whether it answers and accepts writes. Stores use `calls` for every query. */
export function openDatabase(url: string, parts: ProcessParts, hooks: Hooks) {
  const { migrateAtStart: migrates, testClock: hasTestClock } = parts.config;
  const db = requestPool(url, CONNECTIONS_MAX, hooks);
  hooks.starting((signal) => {
    const { log, lifecycle } = parts;
    return prepareDatabase({ db, url, migrates, log, waitFor: lifecycle.waitFor }, signal);
  });
  // `limitation` is called only while the service runs, so it may read `writability`, which needs the instances.
  const limitation = () => limitationOf(writability);
  const probeDb = requestPool(url, PROBE_CONNECTIONS_MAX, hooks);
  const breaker = monitoredBreaker(parts, hooks, TEXT, () => probeDb.raw('select 1'), limitation);
  const instances = monitoredInstances(db, parts, hooks);
  const writability = monitoredWrites(parts, hooks, TEXT.dependency, writeProbe(db, instances));
  const calls: Pick<Breaker, 'run'> = { run: (work) => writability.run(() => breaker.run(work)) };
  const testClock = hasTestClock ? new PostgresTestClock(db, instances, systemClock) : null;
  if (testClock !== null) hooks.running(testClock);
  const state = { isAway: () => breaker.state === 'open', isAlone: () => instances.isAlone };
  const invalidations = () => hooks.running(new PostgresInvalidations(db, url));
  return { url, db, calls, testClock, invalidations, ...state };
}

/** The Postgres stores behind the breaker. */
export function guardedStores({ url, db, calls }: Database, hooks: Hooks): Stores {
  const { keyUses, usage, ...stores } = postgresStores(db);
  hooks.closing(() => keyUses.close());
  hooks.closing(() => usage.close());
  const deadlines = { feed: { page: READ_MS }, gate: { find: READ_MS, snapshot: READ_MS } };
  // `keyUses` and `usage` need no breaker: they write in the background and retry.
  const ports = guardedPorts(stores, TEXT.dependency, calls, deadlines);
  const feed = pagedFeedStore(ports.feed, pageReads(url, calls, deadlines.feed, hooks));
  return { ...ports, feed, keyUses, usage };
}

/** Reads of pages, whose readers take turns. A filter by terms may take long by itself, which is no fault of the server. */
function pageReads(
  url: string,
  calls: Pick<Breaker, 'run'>,
  deadlines: { readonly page: number },
  hooks: Hooks,
): PageReads {
  const { dependency } = TEXT;
  const pageDb = requestPool(url, PAGE_CONNECTIONS_MAX, hooks);
  const filterDb = requestPool(url, SEPARATE_CONNECTIONS_MAX, hooks);
  const reads = (read: (range: FeedRange) => Promise<FeedPageSnapshot>, limits: typeof PAGES) => {
    const queue = new FairQueue<SubscriptionId | null>(dependency, limits);
    return {
      page: (range: FeedRange, reader: SubscriptionId | null = null) => queue.run(reader, () => read(range)),
    };
  };
  const whole = reads((range) => readPageOf(pageDb, range), PAGES);
  const filtered = reads((range) => readFilteredPageOf(filterDb, range), FILTERED_PAGES);
  return {
    whole: guarded(whole, dependency, calls, deadlines),
    filtered: guarded(filtered, dependency, uncounted(calls, dependency), deadlines),
  };
}

/** The gate and the feed of an instance, which serve from copies in the process where they can. */
export function copies({ gate, feed }: Stores, database: Database, parts: SharedParts, hooks: Hooks) {
  const postgresLogs = new PostgresChangeLogs(database.url);
  // It has a deadline of its own. A read without an answer counts in the breaker, like each call of the stores.
  const logs = guarded<ChangeLogs>(postgresLogs, TEXT.dependency, database.calls, {});
  const past = new PostgresFeedHistory(requestPool(database.url, SEPARATE_CONNECTIONS_MAX, hooks));
  const deadlines = { changes: READ_MS, itemsAfter: READ_MS, positionsOf: READ_MS };
  const history = guarded<FeedHistory>(past, TEXT.dependency, database.calls, deadlines);
  const accountChanges = new AccountChanges();
  const make = () => {
    // The copy hands the changes over once it has applied them, and it reads their items first.
    const readNow = async () => {
      await get().follower.readNow();
      await get().feed.updated();
    };
    const liveFeed = new LiveFeed({ history, readNow, now: parts.monotonicClock });
    const sources = { gate, feed, logs, isStoreAway: database.isAway };
    return { ...processCopies(overlay(parts, { ...sources, liveFeed, accountChanges })), liveFeed };
  };
  let made: ReturnType<typeof make> | undefined;
  const get = () => (made ??= make());
  hooks.closing(() => postgresLogs.close());
  hooks.running({ start: () => get().follower.start(), close: () => get().follower.close() });
  fillAtStart(() => get().liveFeed, parts, hooks);
  const page: FeedStore['page'] = (range) => get().page(range);
  const older = withReplicas(overlay(feed, { page }), database, parts, hooks);
  return {
    gate: (): Gate => get().gate,
    feed: () => {
      const announcing = invalidatingFeedStore(older, parts.invalidations);
      const around = { now: parts.monotonicClock, isAlone: database.isAlone, isStoreAway: database.isAway };
      return hotFeedStore(announcing, get().feed, get().follower, around);
    },
    feedHistory: (): FeedHistory => history,
    liveFeed: () => get().liveFeed,
    accountChanges: (): Pick<AccountChanges, 'onChange'> => accountChanges,
  };
}

/** Pages below a cursor come from the replicas, if there are any. */
function withReplicas(stored: FeedStore, { db, calls }: Database, parts: SharedParts, hooks: Hooks) {
  const { databaseReplicaUrls: urls } = parts.config;
  if (urls.length === 0) return stored;
  const replicas = urls.map((url, i) =>
    replicaPages(url, urls.length === 1 ? 'replica' : `replica ${i + 1}`, parts, hooks),
  );
  const report = (err: unknown) => parts.log.error({ err }, TEXT.replicaFault);
  return replicatedFeedStore(stored, (n) => calls.run(() => readStateAt(db, n)), replicas, report);
}

/** Pages below a cursor from one replica, behind a separate breaker. */
function replicaPages(url: string, dependency: string, parts: ProcessParts, hooks: Hooks): ReadPage {
  const db = requestPool(url, CONNECTIONS_MAX, hooks);
  const filterDb = requestPool(url, SEPARATE_CONNECTIONS_MAX, hooks);
  const text = { dependency, up: 'serves older pages', unreachable: 'the primary serves older pages' };
  const breaker = monitoredBreaker(parts, hooks, text, () => db.raw('select 1'));
  const page = (range: FeedRange) => readAnyPageOf(db, filterDb, range);
  return guarded({ page }, dependency, breaker, { page: REPLICA_MS }).page;
}
