// The contestants of the bench. Each has a name, a URL, a process id, the keys that it accepts, and `tagOf`: the ETag of a
// page, or null if it sends none and therefore cannot return 304.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { KEYS_MAX } from './cases.mjs';
import { proKeys, publish } from './internal-calls.mjs';
import { atEnd } from './run-bench.mjs';
import { ROOT, startCommand, startService } from './service.mjs';

/** Limits that refuse nothing, and the log level of a production service. */
export const SETTINGS = {
  RATE_LIMIT_PRO_MINUTE: '1000000000',
  RATE_LIMIT_PRO_DAY: '1000000000',
  LOG_LEVEL: 'warn',
};

/** The service of a checkout with its own stores, the items of `feed` (NDJSON) and its own keys. `stop` ends it. */
export async function startOddswire({ name, root = ROOT, stores, feed, settings = SETTINGS }) {
  const { databaseUrl, redisUrl } = stores;
  const service = await startService({ ...settings, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, root);
  const { accepted, rejected } = await publish(service, feed, 'backfill');
  const keys = await proKeys(service, KEYS_MAX);
  console.log(`${name}: ${accepted} items, ${rejected.length} rejected; ${keys.length} keys`);
  const tagOf = async (path) => (await pageOf({ ...service, keys }, path)).headers.get('ETag');
  return { name, url: service.url, pid: service.pid, stop: service.stop, keys, tagOf };
}

/** Services with these names, checkouts and settings, each with its own stores and the same items. */
export async function startEach(stores, feed, services) {
  const started = [];
  for (const one of services)
    started.push(await startOddswire({ ...one, stores: await stores.next(), feed }));
  return started;
}

/** Bare `node:http` with the pages that the service returns for these paths. It does not check the key. */
export async function startLimit(service, paths) {
  const pages = await Promise.all(
    paths.map(async (path) => [path, await (await pageOf(service, path)).text()]),
  );
  return {
    name: 'limit',
    ...(await startPeer('limit.mjs', { pages })),
    keys: service.keys,
    tagOf: async () => '"limit"',
  };
}

/** The conventional stack, without and with a page cache, with the items and keys of a service. */
export async function startConventional(service, stores) {
  await createConventionalTables(stores.databaseUrl, service.keys);
  const start = async (name, cached) => {
    const peer = await startPeer('conventional.mjs', { ...stores, cached });
    return { name, ...peer, keys: service.keys, tagOf: async () => null };
  };
  return [await start('conventional', false), await start('conventional, 1 s page cache', true)];
}

function pageOf({ url, keys: [key] }, path) {
  return fetch(`${url}${path}`, { headers: { 'X-API-Key': key, 'Accept-Encoding': 'identity' } });
}

/** A collector of spans that reads and drops them. */
export const startCollector = () => startPeer('collector.mjs', {});

/** Starts a peer with the runtime flags of the service, so that both run on the same runtime. */
async function startPeer(script, message) {
  const file = fileURLToPath(new URL(`peers/${script}`, import.meta.url));
  const child = fork(file, { execArgv: startCommand(ROOT).flags });
  atEnd(() => child.kill());
  child.send(message);
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() };
}

/** Copies the items and keys into the tables and indexes of a conventional service. */
async function createConventionalTables(databaseUrl, keys) {
  const db = connect(databaseUrl, LONG_TIMEOUTS, 1);
  await db.raw(
    `create table bench_item as select id, scored_at, convert_from(json, 'UTF8')::jsonb as body from item`,
  );
  await db.raw('create unique index on bench_item (scored_at)');
  await db.raw('create table bench_key (id text primary key, hash text unique)');
  const rows = keys.map((key, n) => ({
    id: `bench_${n}`,
    hash: createHash('sha256').update(key).digest('hex'),
  }));
  await db.batchInsert('bench_key', rows);
  await db.raw('analyze');
  await disconnect(db);
}
