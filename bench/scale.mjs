// Measures whether page times stay constant as the feed grows, and how fast changes reach a second instance on the same
// Postgres and Redis. `npm run bench:scale [-- 1000000 10000000]`: the number of items of the usual size, and of small items.
// It takes minutes. It starts its own durable Postgres and Redis in a temporary folder and stops them.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { PostgresFeedStore } from '../dist/src/adapters/postgres/feed/postgres-feed-store.js';
import { migrate } from '../dist/src/adapters/postgres/migrate.js';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { readPublication } from '../dist/src/domain/feed/feed-item.js';
import { fromEpochMillis, plus, SECOND } from '../dist/src/domain/moment.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { startTestRedis } from '../dist/test/support/servers/redis.js';
import { copyItems, pieces } from './copy-items.mjs';
import { fillTerms } from './fill-terms.mjs';
import { operate, publish } from './internal-calls.mjs';
import { startService } from './service.mjs';
import { createDatabase } from './stores.mjs';

const [usual = 1_000_000, small = 10_000_000] = process.argv.slice(2).map(Number);
const SMALL_LEAST = Math.min(100_000, small / 10);
const NEWEST = fromEpochMillis(Date.now() - 60_000);
const SAMPLES = 1_000;
const RUNS = 500;
const PUBLICATIONS_PER_SECOND = 50;
const PUBLISHING_SECONDS = 20;
const REVOCATIONS = 100;
const BYTES_USUAL = 4_500;
const BYTES_SMALL = 1_200;

const agent = new Agent({ keepAlive: true });

const free = statfsSync(tmpdir());
const needed = Math.max(usual * BYTES_USUAL, small * BYTES_SMALL) * 1.5;
if (free.bavail * free.bsize < needed) {
  console.error(`bench:scale needs ${Math.ceil(needed / 1e9)} GB free in ${tmpdir()}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
chmodSync(folder, 0o755); // As root, Postgres runs as another user.
const postgres = await startPostgresServer({ folder: join(folder, 'postgres'), durable: true });
const redis = await startTestRedis();
const running = [];
try {
  await twoInstances(await withTerms(await filled(usual, 'usual-size', usualItems())));
  const medians = [];
  for (const count of [SMALL_LEAST, small])
    medians.push(await pages(await filled(count, 'small', smallItems())));
  for (const name of Object.keys(medians[0]))
    console.log(
      `${name.padEnd(14)} × ${(medians[1][name] / medians[0][name]).toFixed(2)} compared with ${figure(SMALL_LEAST)} items`,
    );
} finally {
  for (const service of running) await service.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function usualItems() {
  const samples = Array.from({ length: SAMPLES }, (_, n) =>
    readPublication(samplePublication(n, NEWEST), NEWEST),
  ).map(({ item, subMarketIds }) => ({ hex: pieces(item), subMarketIds }));
  return (n) => samples[n % SAMPLES];
}

/** With the terms of all items, because each publication adds to their index. */
async function withTerms(feed) {
  const samples = Array.from({ length: SAMPLES }, (_, n) => {
    const { item, subMarketIds } = readPublication(samplePublication(n, NEWEST), NEWEST);
    return { json: Buffer.from(JSON.stringify(item)), subMarketIds };
  });
  const db = connect(feed.url, { ...LONG_TIMEOUTS, statementMs: 3_600_000 }, 1);
  await fillTerms(db, samples, feed.count, plus(NEWEST, -feed.count * SECOND));
  await db.raw('vacuum analyze');
  await db.raw('checkpoint');
  await disconnect(db);
  return feed;
}

/** The shortest possible items, about 400 bytes. */
function smallItems() {
  const { item } = readPublication(samplePublication(1, NEWEST), NEWEST);
  const { headline, source_name, source_type } = item.news_event;
  const markets = Array.from({ length: SAMPLES }, (_, i) => `sm-${i}`);
  const samples = markets.map((sub_market_id) => ({
    hex: pieces({
      news_event: { headline: headline.slice(0, 60), source_name, source_type },
      related_markets: [
        { main_market: { market_id: 'mk' }, sub_markets: [{ sub_market_id, sub_market_title: 'Will it?' }] },
      ],
      meta: item.meta,
    }),
    subMarketIds: [sub_market_id],
  }));
  return (n) => samples[n % SAMPLES];
}

/** Creates a database with `count` items. */
async function filled(count, kind, itemOf) {
  const name = `items_${count}`;
  const url = await createDatabase(postgres.url, name);
  await migrate(url);
  const began = performance.now();
  await copyItems(url, count, NEWEST, itemOf);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const db = connect(url, LONG_TIMEOUTS, 1);
  const { rows } = await db.raw(
    'select pg_database_size(current_database()) as bytes, avg(length(json)) as length from (select json from item limit 1000) as first',
  );
  await disconnect(db);
  const [{ bytes, length }] = rows;
  console.log(
    `\n${figure(count)} ${kind} items (${Math.round(length)} bytes of JSON), ${(bytes / 1e9).toFixed(1)} GB, copied in ${seconds} s`,
  );
  return { url, count, name };
}

/** Measures pages read directly from the store: the head, and random positions below it. */
async function pages({ url, count, name }) {
  const db = connect(url, LONG_TIMEOUTS, 1);
  const store = new PostgresFeedStore(db);
  const everything = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 51 };
  const asked = {
    'head page': () => everything,
    'deep page': () => ({ ...everything, before: plus(NEWEST, -Math.floor(Math.random() * count) * SECOND) }),
    'market page': () => ({ ...everything, marketId: `sm-${Math.floor(Math.random() * SAMPLES)}` }),
  };
  const medians = {};
  for (const [what, range] of Object.entries(asked)) {
    for (let i = 0; i < RUNS / 5; i += 1) await store.page(range());
    const millis = [];
    for (let i = 0; i < RUNS; i += 1) millis.push(await timed(() => store.page(range())));
    medians[what] = printTime(`  ${what}`, millis);
  }
  await disconnect(db);
  const admin = connect(postgres.url, LONG_TIMEOUTS, 1);
  await admin.raw('drop database ??', [name]);
  await disconnect(admin);
  return medians;
}

async function twoInstances({ url, name }) {
  const settings = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    RATE_LIMIT_PRO_MINUTE: '1000000000',
    RATE_LIMIT_PRO_DAY: '1000000000',
    LOG_LEVEL: 'warn',
  };
  const readyMs = [];
  for (const _ of [1, 2]) {
    readyMs.push(await timed(async () => running.push(await startService(settings))));
  }
  console.log(`  ready after ${readyMs.map(Math.round).join(' and ')} ms`);
  const [one, other] = running;
  const { account_id } = await operate(one, '/accounts', { email: 'bench@example.org', plan: 'pro' });
  const { key } = await operate(one, `/accounts/${account_id}/keys`, {});
  await headPages(other, key);
  await publishing(one, other, key);
  await revoking(one, other);
  console.log(`  ${running.map(({ pid }) => `${residentMb(pid)} MB`).join(' and ')} resident memory`);
  while (running.length > 0) await running.pop().stop();
  const admin = connect(postgres.url, LONG_TIMEOUTS, 1);
  await admin.raw('drop database ??', [name]);
  await disconnect(admin);
}

async function headPages(instance, key) {
  await pause(2_000); // The copy of the newest items is built concurrently with the first requests.
  const millis = [];
  for (let i = 0; i < RUNS; i += 1) millis.push(await timed(() => ask(instance, '?limit=50', key)));
  printTime('  head page, over HTTP', millis);
}

/** Measures the time from the publication on one instance until the other instance shows the item. */
async function publishing(one, other, key) {
  const count = PUBLICATIONS_PER_SECOND * PUBLISHING_SECONDS;
  const began = performance.now();
  const millis = [];
  const answered = [];
  const sentAt = new Map();
  let isOver = false;
  const watching = (async () => {
    let shown = '';
    while (!isOver) {
      const { headers } = await ask(other, '?limit=1', key);
      const head = headers['feed-head'] ?? '';
      if (head === shown) continue;
      shown = head;
      millis.push(...takeShown(sentAt, head));
    }
  })();
  const posts = [];
  for (let n = 0; n < count; n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / PUBLICATIONS_PER_SECOND - performance.now()));
    const at = plus(fromEpochMillis(Date.now()), n);
    const input = samplePublication(n, at);
    sentAt.set(at, performance.now());
    const line = JSON.stringify({ ...input, news_event: { ...input.news_event, id: `new_${n}` } });
    const posted = timed(() => publish(one, line)).then((took) => answered.push(took));
    posted.catch(() => {}); // The rejection is handled where all of them are awaited.
    posts.push(posted);
  }
  await Promise.all(posts);
  while (sentAt.size > 0) await pause(10);
  isOver = true;
  await watching;
  printTime(`  response to the publisher, ${PUBLICATIONS_PER_SECOND} items per second`, answered);
  printTime('  from publication until visible on the other instance', millis);
}

/** Removes the items up to the head from `sentAt`, and returns the milliseconds since each was sent. */
function takeShown(sentAt, head) {
  const now = performance.now();
  const shown = [...sentAt].filter(([at]) => at <= head);
  for (const [at] of shown) sentAt.delete(at);
  return shown.map(([, sent]) => now - sent);
}

/** Measures the time from the revocation of a key on one instance until the other instance refuses it. */
async function revoking(one, other) {
  const millis = [];
  for (let n = 0; n < REVOCATIONS; n += 1) {
    const { account_id } = await operate(one, '/accounts', { email: `bench-${n}@example.org`, plan: 'pro' });
    const { key, key_id } = await operate(one, `/accounts/${account_id}/keys`, {});
    if ((await ask(other, '?limit=1', key)).status !== 200)
      throw new Error('the other instance refuses a new key');
    const revoked = operate(one, `/keys/${key_id}/revoke`, { cause: 'manual' });
    millis.push(
      await timed(async () => {
        while ((await ask(other, '?limit=1', key)).status !== 401);
      }),
    );
    await revoked;
  }
  printTime('  from revocation until refused by the other instance', millis);
}

function ask({ url }, query, key) {
  return new Promise((done, fail) => {
    request(`${url}/pm/v2/news${query}`, { agent, headers: { 'X-API-Key': key } }, (response) => {
      response.resume().once('end', () => done({ status: response.statusCode, headers: response.headers }));
    })
      .once('error', fail)
      .end();
  });
}

async function timed(work) {
  const at = performance.now();
  await work();
  return performance.now() - at;
}

/** Prints the figures of a measurement, and returns the median. */
function printTime(what, millis) {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  console.log(
    `${what}: median ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms, max ${at(1).toFixed(2)} ms`,
  );
  return at(0.5);
}

function residentMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024);
}

function figure(count) {
  return count.toLocaleString('en');
}
