import { FeedCopy } from '../adapters/caching/feed-copy.js';
import { FeedFollower } from '../adapters/caching/feed-follower.js';
import { hotFeedStore } from '../adapters/caching/hot-feed-store.js';
import { invalidatingFeedStore } from '../adapters/caching/invalidating-feed-store.js';
import { prepareDatabase } from '../adapters/postgres/await-database.js';
import { connect, disconnect, REQUEST_TIMEOUTS } from '../adapters/postgres/connection.js';
import { readPageOf, readStateOf } from '../adapters/postgres/feed/feed-queries.js';
import { type ReadPage, replicatedFeedStore } from '../adapters/postgres/feed/replicated-feed-store.js';
import { Instances, instancesState } from '../adapters/postgres/instances.js';
import { PostgresInvalidations } from '../adapters/postgres/postgres-invalidations.js';
import { postgresStores } from '../adapters/postgres/postgres-stores.js';
import { PostgresTestClock } from '../adapters/postgres/postgres-test-clock.js';
import { writeProbe } from '../adapters/postgres/write-probe.js';
import type { Breaker } from '../adapters/resilience/breaker.js';
import { guarded, guardedPorts } from '../adapters/resilience/guarded.js';
import { limitationOf, monitoredBreaker, monitoredWrites } from '../adapters/resilience/monitored-server.js';
import { systemClock } from '../adapters/system/system-clock.js';
import type { FeedRange, FeedStore } from '../application/ports/feed/feed-store.js';
import type { Stores } from '../application/ports/stores.js';
import type { Hooks } from './hooks.js';
import type { ProcessParts } from './process.js';
import type { SharedParts } from './stores.js';

const CONNECTIONS_MAX = 10;
/** A request queries the gate, then the feed. The sum of both deadlines stays well below the timeouts of clients. */
const READ_MS = 1_000;
const REPLICA_MS = 500;

const TEXT = {
  dependency: 'Postgres',
  up: 'all reads and writes use it',
  unreachable: 'known keys and the newest items are served from copies; other requests get 503',
};

export type Database = ReturnType<typeof openDatabase>;

/** Opens a database and monitors whether it answers and accepts writes. Stores use `calls` for every query. */
export function openDatabase(url: string, parts: ProcessParts, hooks: Hooks) {
  const { starting, closing } = hooks;
  const { migrateAtStart: migrates, testClock: hasTestClock } = parts.config;
  const db = connect(url, REQUEST_TIMEOUTS, CONNECTIONS_MAX);
  closing(() => disconnect(db));
  starting((signal) => {
    const { log, lifecycle } = parts;
    return prepareDatabase({ db, url, migrates, log, waitFor: lifecycle.waitFor }, signal);
  });
  // `limitation` is called only while the service runs, so it may read `writability`, which needs the instances.
  const limitation = () => limitationOf(writability);
  const breaker = monitoredBreaker(parts, hooks, TEXT, () => db.raw('select 1'), limitation);
  const instances = knownInstances(db, parts, hooks);
  const writability = monitoredWrites(parts, hooks, TEXT.dependency, writeProbe(db, instances));
  const calls: Pick<Breaker, 'run'> = { run: (work) => writability.run(() => breaker.run(work)) };
  const testClock = hasTestClock ? new PostgresTestClock(db, instances, systemClock) : null;
  if (testClock !== null) hooks.running(testClock);
  return { url, db, calls, testClock };
}

/** The instances on this database. Each instance has a row there (D43). */
function knownInstances(db: Database['db'], parts: ProcessParts, { closing, reporting }: Hooks): Instances {
  const stateOf = (others: number) => instancesState(others, parts.config.redisUrls.length > 0);
  const instances = new Instances(db, (others) => {
    const { state, text } = stateOf(others);
    parts.log[state === 'up' ? 'info' : 'warn']({ dependency: 'instances', others }, `instances: ${text}`);
  });
  closing(() => instances.close());
  reporting(() => ({ dependency: 'instances', ...stateOf(instances.others) }));
  return instances;
}

/** Invalidations over the database, for an instance without Redis. */
export function postgresInvalidations({ url, db }: Database, { running }: Hooks): PostgresInvalidations {
  const invalidations = new PostgresInvalidations(db, url);
  running(invalidations);
  return invalidations;
}

/** The Postgres stores behind the breaker. */
export function guardedStores({ db, calls }: Database, { closing }: Hooks): Stores {
  const { lastUsed, usage, ...stores } = postgresStores(db);
  closing(() => lastUsed.close());
  closing(() => usage.close());
  const deadlines = { feed: { page: READ_MS }, gate: { find: READ_MS } };
  // `lastUsed` and `usage` need no breaker: they write in the background and retry.
  return { ...guardedPorts(stores, TEXT.dependency, calls, deadlines), lastUsed, usage };
}

/** The feed with an in-process copy of its newest items. The copy is updated while the service runs. */
export function hotFeed(
  stored: FeedStore,
  { db, calls }: Database,
  parts: SharedParts,
  hooks: Hooks,
): () => FeedStore {
  const { databaseReplicaUrls, hotItems } = parts.config;
  const replicas = databaseReplicaUrls.map((url, i, { length }) =>
    replicaPages(url, length === 1 ? 'replica' : `replica ${i + 1}`, parts, hooks),
  );
  const report = (message: string) => (fault: unknown) => parts.log.error({ err: fault }, message);
  const onReplicaFault = report('a replica returned an unexpected error; the primary serves its requests');
  const state = () => calls.run(() => readStateOf(db));
  const feed = replicas.length === 0 ? stored : replicatedFeedStore(stored, state, replicas, onReplicaFault);
  const copy = new FeedCopy(stored, hotItems);
  const follower = new FeedFollower(copy, report('the feed copy could not be updated'));
  hooks.starting(async () => {
    parts.metrics.observeFeed(copy.figures);
    follower.start(parts.invalidations);
  });
  hooks.closing(async () => follower.stop());
  return () => hotFeedStore(invalidatingFeedStore(feed, parts.invalidations), copy);
}

/** Pages below a cursor from one replica, behind a separate breaker. */
function replicaPages(url: string, dependency: string, parts: ProcessParts, hooks: Hooks): ReadPage {
  const db = connect(url, REQUEST_TIMEOUTS, CONNECTIONS_MAX);
  hooks.closing(() => disconnect(db));
  const text = { dependency, up: 'serves older pages', unreachable: 'the primary serves older pages' };
  const breaker = monitoredBreaker(parts, hooks, text, () => db.raw('select 1'));
  const pages = { page: (range: FeedRange) => readPageOf(db, range) };
  return guarded(pages, dependency, breaker, { page: REPLICA_MS }).page;
}
