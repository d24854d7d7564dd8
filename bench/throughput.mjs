// Requests a second, side by side in one run on one machine: the limit (bare node:http), this service with all its
// checks, and what a conventional stack serves. `npm run bench [-- feed.ndjson]`; without a file the generator's sample.
// The load is wrk's where it is installed, else that of `load.mjs`.
// It starts a Postgres and a Redis of its own and stops them. Ratios count, not figures: machines differ.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, disconnect, LONG_PATIENCE } from '../dist/src/adapters/postgres/connection.js';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { startTestRedis } from '../dist/test/support/redis.js';
import { load } from './load.mjs';
import { FLAGS, startService } from './service.mjs';
import { isWrkInstalled, loadByWrk } from './wrk.mjs';

const [file] = process.argv.slice(2);
const CONNECTIONS = 32;
const SECONDS = Number(process.env.SECONDS ?? 5);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const ITEMS = 1_500;
const ask = isWrkInstalled() ? loadByWrk : load;
const CASES = [
  { name: 'identity, 50 items', encoding: 'identity', path: '/pm/v2/news?limit=50' },
  { name: 'gzip, 50 items', encoding: 'gzip', path: '/pm/v2/news?limit=50' },
  { name: 'identity, 1 item', encoding: 'identity', path: '/pm/v2/news?limit=1' },
  { name: 'gzip, 1 item', encoding: 'gzip', path: '/pm/v2/news?limit=1' },
];
const TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
chmodSync(folder, 0o755); // As root, Postgres runs as another user.
const postgres = await startPostgresServer({ folder: join(folder, 'postgres'), durable: true });
const redis = await startTestRedis();
const children = [];
let service;
try {
  service = await startService({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    RATE_LIMIT_PRO_MINUTE: '1000000000',
    RATE_LIMIT_PRO_DAY: '1000000000',
    LOG_LEVEL: 'warn',
  });
  const key = await newKey();
  await publish();
  const pages = await Promise.all(CASES.map(async ({ path }) => [path, await textOf(service.url, path, key)]));
  await conventionalTables(key);
  const contestants = [
    { name: 'limit', ...(await peer('limit.mjs', { pages })) },
    { name: 'oddswire', url: service.url, pid: service.pid },
    { name: 'conventional', ...(await peer('conventional.mjs', { ...stores(), cached: false })) },
    { name: 'conventional, page kept 1 s', ...(await peer('conventional.mjs', { ...stores(), cached: true })) },
  ];
  for (const one of CASES) await compare(one, contestants, key);
} finally {
  for (const child of children) child.kill();
  await service?.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function stores() {
  return { databaseUrl: postgres.url, redisUrl: redis.url };
}

async function peer(script, message) {
  const child = fork(fileURLToPath(new URL(`peers/${script}`, import.meta.url)), { execArgv: FLAGS });
  children.push(child);
  child.send(message);
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, pid: child.pid };
}

async function compare({ name, encoding, path }, contestants, key) {
  const results = new Map(contestants.map((contestant) => [contestant.name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contestant of contestants) {
      results.get(contestant.name).push(await measured(contestant, path, encoding, key));
    }
  }
  const rows = contestants.map((contestant) => {
    const rounds = results.get(contestant.name);
    const of = (figure) => median(rounds.map((round) => round[figure]));
    return { name: contestant.name, rate: of('rate'), p50: of('p50'), p99: of('p99'), cpu: of('cpu'), memory: of('memory') };
  });
  const rate = (contestant) => rows.find((row) => row.name === contestant).rate;
  console.log(`\n${name}`);
  for (const row of rows) {
    console.log(
      `  ${row.name.padEnd(28)} ${String(Math.round(row.rate)).padStart(7)} a second  p50 ${row.p50.toFixed(1)} ms  p99 ${row.p99.toFixed(1)} ms  ` +
        `${row.cpu.toFixed(2)} CPU s per 1 000  ${Math.round(row.memory)} MB at most`,
    );
  }
  console.log(
    `  of the limit ${(rate('oddswire') / rate('limit')).toFixed(2)}; × conventional ${(rate('oddswire') / rate('conventional')).toFixed(1)}; ` +
      `× conventional with pages kept ${(rate('oddswire') / rate('conventional, page kept 1 s')).toFixed(1)}`,
  );
}

async function measured({ url, pid }, path, encoding, key) {
  const before = cpuSeconds(pid);
  const headers = { 'X-API-Key': key, 'Accept-Encoding': encoding };
  const { requests, rate, p50, p99 } = await ask({ url, path, headers, connections: CONNECTIONS, seconds: SECONDS });
  const cpu = ((cpuSeconds(pid) - before) / requests) * 1_000;
  return { rate, p50, p99, cpu, memory: peakMb(pid) };
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function peakMb(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}

async function newKey() {
  const headers = { Authorization: 'Bearer o', 'Content-Type': 'application/json' };
  const post = async (path, body) =>
    (await fetch(`${service.internalUrl}/internal/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const { account_id } = await post('/accounts', { email: 'bench@example.org', plan: 'pro' });
  return (await post(`/accounts/${account_id}/keys`, {})).key;
}

async function publish() {
  const body =
    file === undefined
      ? sampleFeed(ITEMS, fromEpochMillis(Date.now())).map((item) => `${JSON.stringify(item)}\n`).join('')
      : readFileSync(file, 'utf8');
  const answer = await fetch(`${service.internalUrl}/internal/v1/news?mode=backfill`, {
    method: 'POST',
    headers: { Authorization: 'Bearer p', 'Content-Type': 'application/x-ndjson' },
    body,
  });
  const { accepted, rejected } = await answer.json();
  console.log(`${accepted} items ${file === undefined ? 'of the generator' : 'of the file'}, ${rejected.length} rejected`);
}

async function textOf(url, path, key) {
  return (await fetch(`${url}${path}`, { headers: { 'X-API-Key': key, 'Accept-Encoding': 'identity' } })).text();
}

/** The same items and the same key in tables that a conventional service would have, with the indexes it needs. */
async function conventionalTables(key) {
  const db = connect(postgres.url, LONG_PATIENCE, 1);
  await db.raw(`create table bench_item as select id, scored_at, convert_from(json, 'UTF8')::jsonb as body from item`);
  await db.raw('create unique index on bench_item (scored_at)');
  await db.raw('create table bench_key (id text primary key, hash text unique)');
  const hash = createHash('sha256').update(key).digest('hex');
  await db.raw('insert into bench_key values (?, ?)', ['bench', hash]);
  await db.raw('analyze');
  await disconnect(db);
}
