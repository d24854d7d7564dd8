import type { Knex } from 'knex';
import { announcingAccounts } from '../adapters/caching/announcing-accounts.js';
import { announcingFeedStore } from '../adapters/caching/announcing-feed-store.js';
import { announcingInbox } from '../adapters/caching/announcing-inbox.js';
import { CachedGate } from '../adapters/caching/cached-gate.js';
import { FeedCopy } from '../adapters/caching/feed-copy.js';
import { hotFeedStore } from '../adapters/caching/hot-feed-store.js';
import { PostgresAccounts } from '../adapters/postgres/accounts/postgres-accounts.js';
import { PostgresOutbox } from '../adapters/postgres/accounts/postgres-outbox.js';
import { untilDone } from '../adapters/postgres/await-database.js';
import { PostgresPaymentInbox } from '../adapters/postgres/billing/postgres-payment-inbox.js';
import { connect, disconnect, REQUEST_PATIENCE } from '../adapters/postgres/connection.js';
import { type FeedState, readPageOf, readStateOf } from '../adapters/postgres/feed/feed-queries.js';
import { PostgresFeedStore } from '../adapters/postgres/feed/postgres-feed-store.js';
import { type ReadPage, replicatedFeedStore } from '../adapters/postgres/feed/replicated-feed-store.js';
import { Instances } from '../adapters/postgres/instances.js';
import { PostgresGate } from '../adapters/postgres/keys/postgres-gate.js';
import { PostgresLastUsed } from '../adapters/postgres/keys/postgres-last-used.js';
import { PostgresUsageHistory } from '../adapters/postgres/limits/postgres-usage-history.js';
import { migrate, requireNewestSchema } from '../adapters/postgres/migrate.js';
import { PostgresSignals } from '../adapters/postgres/postgres-signals.js';
import { PostgresTestClock } from '../adapters/postgres/postgres-test-clock.js';
import { PostgresTurns } from '../adapters/postgres/postgres-turns.js';
import { PostgresIdentities } from '../adapters/postgres/sign-in/postgres-identities.js';
import { PostgresSessions } from '../adapters/postgres/sign-in/postgres-sessions.js';
import { PostgresTickets } from '../adapters/postgres/sign-in/postgres-tickets.js';
import { writeProbe } from '../adapters/postgres/write-probe.js';
import type { Breaker } from '../adapters/resilience/breaker.js';
import { guarded } from '../adapters/resilience/guarded.js';
import { systemClock } from '../adapters/system/system-clock.js';
import type { FeedRange, FeedStore } from '../application/ports/feed/feed-store.js';
import { Unavailable } from '../application/unavailable.js';
import type { Config } from '../settings/config.js';
import {
  ACCOUNTS,
  CLOCK,
  FEED_STORE,
  GATE,
  IDENTITIES,
  LAST_USED,
  LIFECYCLE,
  LOG,
  METRICS,
  OUTBOX,
  PAYMENT_INBOX,
  SESSIONS,
  SIGNALS,
  TEST_CLOCK,
  TICKETS,
  TURNS,
  USAGE_HISTORY,
  type Wiring,
} from './parts.js';
import { wireBreaker } from './wire-breaker.js';
import { wireSignals } from './wire-signals.js';
import { limitationOf, wireWritability } from './wire-writability.js';

const CONNECTIONS_MAX = 10;
/** A request asks the gate, then the feed: together they stay well within what a caller waits. */
const READ_MS = 1_000;
const REPLICA_MS = 500;
/** How late the copy of the feed may be without a hint. */
const FOLLOW_EVERY_MS = 1_000;

/** Accounts, keys and the feed in Postgres, with copies that are served while it is away (D35). */
export function wirePostgresStores(wiring: Wiring, config: Config, url: string): Knex {
  const { part, get, starting, closing } = wiring;
  const db = connect(url, REQUEST_PATIENCE, CONNECTIONS_MAX);
  closing(() => disconnect(db));
  starting((told) => prepareDatabase(wiring, config, { url, db, told }));
  const calls = wireResilience(wiring, config, db);

  const accounts = guarded(new PostgresAccounts(db), 'Postgres', calls, {});
  part(ACCOUNTS, () => announcingAccounts(accounts, get(SIGNALS)));
  const inbox = guarded(new PostgresPaymentInbox(db), 'Postgres', calls, {});
  part(PAYMENT_INBOX, () => announcingInbox(inbox, get(SIGNALS)));
  part(OUTBOX, () => guarded(new PostgresOutbox(db), 'Postgres', calls, {}));
  part(TURNS, () => guarded(new PostgresTurns(db), 'Postgres', calls, {}));
  part(TICKETS, () => guarded(new PostgresTickets(db), 'Postgres', calls, {}));
  part(SESSIONS, () => guarded(new PostgresSessions(db), 'Postgres', calls, {}));
  part(IDENTITIES, () => guarded(new PostgresIdentities(db), 'Postgres', calls, {}));
  part(GATE, () => {
    const gate = guarded(new PostgresGate(db), 'Postgres', calls, { find: READ_MS });
    return new CachedGate({ gate, signals: get(SIGNALS), clock: get(CLOCK), maxStale: config.gateMaxStale });
  });
  wireFeed(wiring, config, db, calls);
  const lastUsed = new PostgresLastUsed(db);
  closing(() => lastUsed.close());
  part(LAST_USED, () => lastUsed);
  const usage = new PostgresUsageHistory(db);
  closing(() => usage.close());
  part(USAGE_HISTORY, () => usage);
  return db;
}

/** How calls of the stores go to Postgres: what happens while it is away, and while it cannot be written to. */
type Calls = Pick<Breaker, 'run'>;

function wireResilience(wiring: Wiring, config: Config, db: Knex): Calls {
  // The breaker reports for both. It asks `writability`, which needs the instances, only once the service runs.
  const breaker = wireBreaker(
    wiring,
    {
      part: 'Postgres',
      up: 'everything is stored and read there',
      away: 'known keys and the newest items are served from copies, anything else is refused with 503',
    },
    () => db.raw('select 1'),
    () => limitationOf(writability),
  );
  const instances = wireInstances(wiring, config, db);
  const writability = wireWritability(wiring, 'Postgres', writeProbe(db, instances));
  wireClock(wiring, config, db, instances);
  return { run: (work) => writability.run(() => breaker.run(work)) };
}

function wireFeed(wiring: Wiring, config: Config, db: Knex, calls: Calls): void {
  const { part, get } = wiring;
  const stored: FeedStore = guarded(new PostgresFeedStore(db), 'Postgres', calls, { page: READ_MS });
  const state = () => calls.run(() => readStateOf(db));
  const feed = withReplicas(wiring, config.databaseReplicaUrls, stored, state);
  const copy = followedCopy(wiring, stored, config.hotItems);
  part(FEED_STORE, () => hotFeedStore(announcingFeedStore(feed, get(SIGNALS)), copy));
}

/** Hints over the database itself, for an instance without Redis. */
export function wirePostgresSignals(wiring: Wiring, url: string, db: Knex): void {
  const { starting, closing } = wiring;
  const signals = new PostgresSignals(db, url);
  wireSignals(wiring, () => signals);
  starting(() => signals.start());
  closing(() => signals.close());
}

/** Waits for the database and brings it to the newest schema; where it goes away in between, from the start. */
async function prepareDatabase(
  wiring: Wiring,
  config: Config,
  { url, db, told }: { readonly url: string; readonly db: Knex; readonly told: AbortSignal },
): Promise<void> {
  const lifecycle = wiring.get(LIFECYCLE);
  const prepare = async () => {
    await db.raw('select 1');
    await prepareSchema(wiring, config, url);
  };
  await untilDone(prepare, told, (words) => {
    lifecycle.waitFor(words);
    wiring.get(LOG).warn({ part: 'Postgres' }, words);
  });
  lifecycle.waitFor(null);
}

async function prepareSchema({ get }: Wiring, config: Config, url: string): Promise<void> {
  const { made, newer } = await (config.migrateAtStart ? migrate : requireNewestSchema)(url);
  if (made.length > 0) get(LOG).info({ migrations: made }, 'the database was brought to the newest schema');
  if (newer.length > 0) {
    get(LOG).info({ migrations: newer }, 'the database has a newer schema, which this version can run on');
  }
}

/** The row by which instances know of each other (D43). */
function wireInstances({ get, closing, reporting }: Wiring, config: Config, db: Knex): Instances {
  const isAlone = (others: number) => others === 0 || config.redisUrls.length > 0;
  const words = (others: number) =>
    isAlone(others)
      ? `${others + 1} on this database`
      : `${others + 1} on this database without REDIS_URL: each counts limits on its own`;
  const instances = new Instances(db, (others) => {
    get(LOG)[isAlone(others) ? 'info' : 'warn']({ part: 'instances', others }, `instances: ${words(others)}`);
  });
  closing(() => instances.close());
  reporting(() => {
    const { others } = instances;
    return { part: 'instances', state: isAlone(others) ? 'up' : 'degraded', words: words(others) };
  });
  return instances;
}

/** The clock; with `TEST_CLOCK=1` one that all instances share (D5). */
function wireClock(
  { part, starting, closing }: Wiring,
  config: Config,
  db: Knex,
  instances: Instances,
): void {
  const testClock = config.testClock ? new PostgresTestClock(db, instances, systemClock) : null;
  part(CLOCK, () => testClock?.now ?? systemClock);
  part(TEST_CLOCK, () => testClock);
  if (testClock === null) return;
  starting(() => testClock.start());
  closing(() => testClock.close());
}

/** Pages below a cursor from replicas, each behind a breaker of its own. */
function withReplicas(
  wiring: Wiring,
  urls: readonly string[],
  stored: FeedStore,
  state: () => Promise<FeedState>,
): FeedStore {
  if (urls.length === 0) return stored;
  const replicas = urls.map((url, i): ReadPage => {
    const db = connect(url, REQUEST_PATIENCE, CONNECTIONS_MAX);
    wiring.closing(() => disconnect(db));
    const part = urls.length === 1 ? 'replica' : `replica ${i + 1}`;
    const words = { part, up: 'serves old pages', away: 'old pages are served by the primary' };
    const breaker = wireBreaker(wiring, words, () => db.raw('select 1'));
    const replica = guarded({ page: (range: FeedRange) => readPageOf(db, range) }, part, breaker, {
      page: REPLICA_MS,
    });
    return replica.page;
  });
  return replicatedFeedStore(stored, state, replicas, (fault) =>
    wiring.get(LOG).error({ err: fault }, 'a replica does not answer as it should; the primary does instead'),
  );
}

/** Follows the feed from the start on, at every hint and at least every second. */
function followedCopy({ get, starting, closing }: Wiring, stored: FeedStore, hotItems: number): FeedCopy {
  const copy = new FeedCopy(stored, hotItems);
  const follow = async () => {
    try {
      await copy.follow();
    } catch (fault) {
      // Away: the breaker says so, and the next round tries again.
      if (!(fault instanceof Unavailable))
        get(LOG).error({ err: fault }, 'the copy of the feed cannot follow');
    }
  };
  starting(async () => {
    get(METRICS).observeFeed(() => ({
      version: copy.state?.version ?? null,
      copiedItems: copy.state?.items ?? null,
      head: copy.state?.head ?? null,
    }));
    // Hints come in bursts while somebody publishes: one round for all that come during another.
    let isFollowing = false;
    let isBehind = false;
    const followOn = async () => {
      isBehind = true;
      if (isFollowing) return;
      isFollowing = true;
      while (isBehind) {
        isBehind = false;
        await follow();
      }
      isFollowing = false;
    };
    get(SIGNALS).listen((signal) => {
      if (signal.changed === 'feed') void followOn();
    });
    const timer = setInterval(() => void followOn(), FOLLOW_EVERY_MS);
    closing(async () => clearInterval(timer));
    void followOn();
  });
  return copy;
}
