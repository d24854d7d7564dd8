import { AccountChanges } from '../adapters/caching/account-changes.js';
import { processCopies } from '../adapters/caching/copies.js';
import { copiedWriter } from '../adapters/caching/feed/copied-writer.js';
import { hotPages } from '../adapters/caching/feed/hot-pages.js';
import { invalidatingFeedWriter } from '../adapters/caching/feed/invalidating-feed-writer.js';
import { storedPages } from '../adapters/caching/feed/stored-pages.js';
import { LiveFeed } from '../adapters/live/changes/live-feed.js';
import { prepareDatabase } from '../adapters/postgres/await-database.js';
import { ComparedClock } from '../adapters/postgres/compared-clock.js';
import { requestPool } from '../adapters/postgres/connection.js';
import { readPageOf, readStateAt } from '../adapters/postgres/feed/feed-queries.js';
import { readAnyPageOf, readFilteredPageOf } from '../adapters/postgres/feed/filtered-pages.js';
import { PostgresMarketDirectory } from '../adapters/postgres/feed/markets/postgres-market-directory.js';
import { PostgresMarketProjection } from '../adapters/postgres/feed/markets/postgres-market-projection.js';
import { PostgresFeedHistory } from '../adapters/postgres/feed/postgres-feed-history.js';
import { PostgresFeedPast } from '../adapters/postgres/feed/postgres-feed-past.js';
import { type ReadPage, replicatedPages } from '../adapters/postgres/feed/replicated-pages.js';
import { separatePages } from '../adapters/postgres/feed/separate-pages.js';
import { monitoredInstances } from '../adapters/postgres/instances.js';
import { PostgresChangeLogs } from '../adapters/postgres/postgres-change-logs.js';
import { PostgresInvalidations } from '../adapters/postgres/postgres-invalidations.js';
import { postgresStores } from '../adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../adapters/postgres/postgres-test-clock.js';
import { type Announcements, PrimaryFence } from '../adapters/postgres/primary-fence.js';
import { writeProbe } from '../adapters/postgres/write-probe.js';
import type { Breaker } from '../adapters/resilience/breaker.js';
import { FairQueue } from '../adapters/resilience/fair-queue.js';
import { guarded, guardedPorts } from '../adapters/resilience/guarded.js';
import { limitationOf, monitoredBreaker, monitoredWrites } from '../adapters/resilience/monitored-server.js';
import { uncounted } from '../adapters/resilience/uncounted.js';
import type { Writability } from '../adapters/resilience/writability.js';
import { systemClock } from '../adapters/system/system-clock.js';
import type { AccountLists } from '../application/ports/accounts/account-lists.js';
import type { ChangeLogs } from '../application/ports/change-logs.js';
import type { FeedHistory } from '../application/ports/feed/feed-history.js';
import type { FeedPast } from '../application/ports/feed/feed-past.js';
import type {
  FeedPageSnapshot,
  FeedPages,
  FeedRange,
  FeedWriter,
} from '../application/ports/feed/feed-store.js';
import type { MarketDirectory } from '../application/ports/feed/market-directory.js';
import type { MarketProjection } from '../application/ports/feed/market-projection.js';
import type { Stores } from '../application/ports/stores.js';
import type { SubscriptionId } from '../domain/billing/subscription.js';
import { overlay } from './container/container.js';
import type { Hooks } from './container/hooks.js';
import type { Followed, FollowingParts } from './following.js';
import type { ProcessParts } from './process.js';

const CONNECTIONS_MAX = 8;
/** A request queries the gate, then the feed. The sum of both deadlines stays well below the timeouts of clients. */
const READ_MS = 1_000;
const REPLICA_MS = 500;
/** The first request of a key in a window waits for its usage at most this long (D35). */
const USAGE_MS = 500;
/** For pages that are not in memory. */
const PAGE_CONNECTIONS_MAX = 4;
/** Of these connections, one subscription uses two. Its further pages wait in line. */
const PAGES = { max: PAGE_CONNECTIONS_MAX, perCaller: 2, waitingPerCaller: 200, waitMs: READ_MS };
/** For streams that resume, and for filters by terms: many of them at once must not use the connections of other requests. */
const SEPARATE_CONNECTIONS_MAX = 2;
const FILTERED_PAGES = {
  max: SEPARATE_CONNECTIONS_MAX,
  perCaller: 1,
  waitingPerCaller: 200,
  waitMs: READ_MS,
};
/** The projection of markets writes one block at a time. */
const PROJECTION_CONNECTIONS_MAX = 1;
/** For the question whether Postgres answers, which must not wait for the connections of requests. */
const PROBE_CONNECTIONS_MAX = 1;

const TEXT = {
  dependency: 'Postgres',
  up: 'all reads and writes use it',
  unreachable: 'known keys and the newest items are served from copies; other requests get 503',
  replicaFault: 'a replica returned an unexpected error; the primary serves its requests',
};

export type Database = ReturnType<typeof openDatabase>;

/** Opens a database and monitors whether it answers and accepts writes. Stores use `calls` for every query. */
export function openDatabase(
  url: string,
  announcements: Announcements | null,
  parts: ProcessParts,
  hooks: Hooks,
) {
  const { migrateAtStart: migrates, testClock: hasTestClock } = parts.config;
  const db = requestPool(url, CONNECTIONS_MAX, hooks);
  const fence = new PrimaryFence(url, announcements, parts, hooks);
  hooks.starting((signal) => {
    const { log, lifecycle } = parts;
    return prepareDatabase({ db, url, migrates, log, waitFor: lifecycle.waitFor }, signal);
  });
  // `limitation` is called only while the service runs, so it may read `writability`, which needs the instances.
  const limitation = () => fence.limitation() ?? limitationOf(writability);
  const probeDb = requestPool(url, PROBE_CONNECTIONS_MAX, hooks);
  const text = { ...TEXT, cause: fence.limitation };
  const breaker = monitoredBreaker(parts, hooks, text, () => probeDb.raw('select 1'), limitation);
  breaker.onChange((state) => state === 'open' && fence.renew());
  const clockCheck = new ComparedClock(overlay(parts, { systemClock }));
  const instances = monitoredInstances(db, parts, hooks, clockCheck.note);
  hooks.reporting(clockCheck.report);
  parts.metrics.clock.observe(clockCheck.certain);
  const answersReads = () => breaker.state === 'closed';
  const probe: typeof writes = async (refusal) => void (await Promise.all([writes(refusal), fence.beat()]));
  const writes = writeProbe(db, instances, () => fence.renew());
  const writability = monitoredWrites(parts, hooks, TEXT.dependency, probe, answersReads);
  const calls: Pick<Breaker, 'run'> = {
    run: (work) => writability.run(() => fence.run(() => breaker.run(work))),
  };
  const testClock = hasTestClock ? new PostgresTestClock(db, instances, systemClock) : null;
  if (testClock !== null) hooks.running(testClock);
  const state = { isAway: () => breaker.state === 'open', isAlone: () => instances.isAlone };
  const invalidations = () => hooks.running(new PostgresInvalidations(db, url));
  const unlessSilent: Writability['runUnlessSilent'] = (work) => writability.runUnlessSilent(work);
  return { url, db, calls, fence, unlessSilent, testClock, clockCheck, invalidations, ...state };
}

/** The Postgres stores behind the breaker. */
export function guardedStores({ url, db, calls, unlessSilent }: Database, hooks: Hooks): Stores {
  const { keyUses, usage, accountLists: lists, ...stores } = postgresStores(db);
  hooks.closing(() => keyUses.close());
  hooks.closing(() => usage.close());
  // `keyUses` and `usage` need no breaker: they write in the background and retry.
  const ports = guardedPorts(stores, TEXT.dependency, calls, {
    gate: { find: READ_MS, snapshot: READ_MS },
    accountUsage: { since: USAGE_MS, hours: READ_MS },
    requestLogs: { add: READ_MS, of: READ_MS },
    sandboxKeys: { find: READ_MS, of: READ_MS },
  });
  // The sums over the usage or the accounts of some days may take long. That says nothing about the server.
  const accountLists = guarded<AccountLists>(lists, TEXT.dependency, uncounted(calls, TEXT.dependency), {
    largest: READ_MS,
    busiest: READ_MS,
    byDay: READ_MS,
    listingMoreKeys: READ_MS,
  });
  const { feed } = ports;
  const writer: Stores['feed'] = {
    find: (ids) => feed.find(ids),
    raiseHead: (seen, now) => feed.raiseHead(seen, now),
    publish: (items, mode) => unlessSilent(() => feed.publish(items, mode)),
    retract: (id) => unlessSilent(() => feed.retract(id)),
    purge: (id, order) => unlessSilent(() => feed.purge(id, order)),
  };
  const feedPast = queuedPast(url, calls, hooks);
  const feedPages = queuedPages(url, calls, hooks);
  const background = { keyUses, usage };
  return {
    ...{ ...ports, ...background, ...markets(url, calls, hooks) },
    ...{ accountLists, feed: writer, feedPages, feedPast },
  };
}

/** Reads of pages; the subscriptions take turns. A slow read with a filter by terms does not count as a failure of Postgres. */
function queuedPages(url: string, calls: Pick<Breaker, 'run'>, hooks: Hooks): FeedPages {
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
  return separatePages(
    guarded(whole, dependency, calls, { page: READ_MS }),
    guarded(filtered, dependency, uncounted(calls, dependency), { page: READ_MS }),
  );
}

/** Reads of the past have connections of their own. One that takes long does not count as a failure of Postgres (D60). */
function queuedPast(url: string, calls: Pick<Breaker, 'run'>, hooks: Hooks): FeedPast {
  const { dependency } = TEXT;
  const past = new PostgresFeedPast(requestPool(url, SEPARATE_CONNECTIONS_MAX, hooks));
  const deadlines = {
    find: READ_MS,
    page: READ_MS,
    changes: READ_MS,
    last: READ_MS,
    purges: READ_MS,
    publishedPerMinute: READ_MS,
  };
  return guarded<FeedPast>(past, dependency, uncounted(calls, dependency), deadlines);
}

/** The directory of markets. A slow read or a large block does not count as a failure of Postgres. */
function markets(
  url: string,
  calls: Pick<Breaker, 'run'>,
  hooks: Hooks,
): Pick<Stores, 'marketDirectory' | 'marketProjection'> {
  const { dependency } = TEXT;
  const directory = new PostgresMarketDirectory(requestPool(url, SEPARATE_CONNECTIONS_MAX, hooks));
  const queue = new FairQueue<SubscriptionId | null>(dependency, FILTERED_PAGES);
  const queued: MarketDirectory = {
    find: (reading, reader) => queue.run(reader ?? null, () => directory.find(reading)),
  };
  const projection = new PostgresMarketProjection(requestPool(url, PROJECTION_CONNECTIONS_MAX, hooks));
  const slow = uncounted(calls, dependency);
  return {
    marketDirectory: guarded<MarketDirectory>(queued, dependency, slow, { find: READ_MS }),
    marketProjection: guarded<MarketProjection>(projection, dependency, slow, {}),
  };
}

/** What follows the change logs reads over connections of its own, and pages below a cursor come from the replicas. */
export function openFollowing({ url, calls }: Database, parts: ProcessParts, hooks: Hooks) {
  const postgresLogs = new PostgresChangeLogs(url);
  hooks.closing(() => postgresLogs.close());
  const past = new PostgresFeedHistory(requestPool(url, SEPARATE_CONNECTIONS_MAX, hooks));
  const deadlines = { changes: READ_MS, itemsAfter: READ_MS, positionsOf: READ_MS };
  return {
    // It has a deadline of its own. A read without an answer counts in the breaker, like each call of the stores.
    logs: guarded<ChangeLogs>(postgresLogs, TEXT.dependency, calls, {}),
    history: guarded<FeedHistory>(past, TEXT.dependency, calls, deadlines),
    replicas: parts.config.databaseReplicaUrls.map((replicaUrl, i, { length }) =>
      replicaPages(replicaUrl, length === 1 ? 'replica' : `replica ${i + 1}`, parts, hooks),
    ),
  };
}

type Following = ReturnType<typeof openFollowing>;

/**
 * The gate and the feed of an instance, from the database outwards. `docs/architecture.md` shows the way of a published item
 * and of a page through these wrappers.
 */
export function followPostgres(
  stores: Stores,
  database: Database,
  { logs, history, replicas }: Following,
  parts: FollowingParts,
): Followed {
  const { monotonicClock: now, invalidations } = parts;
  // 1. In memory, what follows the change logs. The live feed has a change once the copy of the feed has applied it.
  const accountChanges = new AccountChanges();
  const readNow = async () => {
    await follower.readNow();
    await copy.updated();
  };
  const liveFeed = new LiveFeed({ history, readNow, now });
  const sources = { gate: stores.gate, feed: stores.feed, feedPages: stores.feedPages };
  const { isAway: isStoreAway, isAlone } = database;
  const { gate, copy, follower } = processCopies(
    overlay(parts, { ...sources, logs, isStoreAway, liveFeed, accountChanges }),
  );
  // 2. Reading, from the store to the caller.
  const primary = storedPages(stores.feedPages, copy, follower);
  const stored = replicas.length === 0 ? primary : withReplicas(primary, replicas, database, parts);
  const pages = hotPages(stored, copy, follower, { now, isAlone, isStoreAway });
  // 3. Writing, from the store to the caller.
  const announced = invalidatingFeedWriter(stores.feed, invalidations);
  const copied = copiedWriter(announced, copy, follower);
  // The item may have been stored on a former primary before the copy was brought up to date.
  const writer: FeedWriter = {
    publish: (items, mode) => database.fence.run(() => copied.publish(items, mode)),
    retract: (id) => database.fence.run(() => copied.retract(id)),
    purge: (id, order) => database.fence.run(() => copied.purge(id, order)),
  };
  const feed = { ...pages, ...writer };
  return { gate, feed, feedHistory: history, liveFeed, accountChanges, follower };
}

function withReplicas(
  primary: FeedPages,
  replicas: Following['replicas'],
  { db, calls }: Database,
  { log }: Pick<ProcessParts, 'log'>,
): FeedPages {
  const report = (err: unknown) => log.error({ err }, TEXT.replicaFault);
  return replicatedPages(primary, (n) => calls.run(() => readStateAt(db, n)), replicas, report);
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
