// Measures the history (D59 to D61): the rate of an export, what it costs other readers, pages as they were, publishing, and
// the disk that versions take. Usage: ITEMS=100000 npm run bench:history
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { readPageOf } from '../dist/src/adapters/postgres/feed/feed-queries.js';
import { PostgresFeedPast } from '../dist/src/adapters/postgres/feed/postgres-feed-past.js';

import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { openLoop } from '../dist/test/support/load/open-loop.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { proKeys, publish } from './internal-calls.mjs';
import { atEnd, BenchFailure, runBench } from './run-bench.mjs';
import { ROOT, startService } from './service.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';

const BATCH = 500;
const ROUNDS = 3;
const PAGES = { perSecond: 200, count: 2_000 };
const SAMPLES = 300;
const SHARES = [0.01, 0.5, 0.99];
const QUOTA = '1000000000';
/** What an export reads, with the bytes that its items have. */
const COPIED = `
  select change.n, change.known_at, change.kind, change.revision, convert_from(version.json, 'UTF8')
  from feed_change as change cross join lateral (
    select json from item where id = change.item_id and item.n = change.n
    union all
    select json from item_version where id = change.item_id and item_version.n = change.n
    limit 1
  ) as version
  order by change.n`.replaceAll('\n', ' ');

await runBench(async () => {
  const items = setting('ITEMS', 10_000);
  const { databaseUrl, redisUrl } = await (await startStores()).next();
  // An export takes a permit for every 500 changes.
  const limits = { RATE_LIMIT_PRO_MINUTE: QUOTA, RATE_LIMIT_PRO_DAY: QUOTA };
  const service = await startService({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...limits });
  const db = connect(databaseUrl, { ...LONG_TIMEOUTS, statementMs: 3_600_000 }, 1);
  atEnd(() => disconnect(db));
  const [key, otherKey] = await proKeys(service, 2);
  console.log(`${items.toLocaleString('en')} items, each published twice\n`);
  await publishing(service, db, items);
  await exporting(service, databaseUrl, key, 2 * items);
  await pagesBeside(service, key, otherKey);
  await pagesOfThePast(db, 2 * items);
});

/** Publishes every item, then a new version of each. */
async function publishing(service, db, items) {
  const rates = [];
  for (const version of [1, 2]) {
    const at = performance.now();
    for (let from = 0; from < items; from += BATCH) {
      const lines = Array.from({ length: Math.min(BATCH, items - from) }, (_, i) =>
        lineOf(from + i, version),
      );
      const { accepted } = await publish(service, lines.join(''));
      if (accepted !== lines.length) throw new BenchFailure(`${accepted} of ${lines.length} items accepted`);
    }
    rates.push((items * 1_000) / (performance.now() - at));
  }
  await db.raw('vacuum analyze');
  await db.raw('checkpoint');
  print('published', `${Math.round(rates[0])} new items a second, ${Math.round(rates[1])} replaced ones`);
  const megabytes = ((await versionBytes(db)) * 100_000) / items / 1e6;
  print('disk', `${Math.round(megabytes)} MB for 100,000 superseded versions`);
}

/** The growth of the database would include the space that the replaced rows of `item` leave, which later items use. */
async function versionBytes(db) {
  const { rows } = await db.raw(
    `select (pg_total_relation_size('item_version') + pg_total_relation_size('item_version_sub_market'))::float8 as bytes`,
  );
  return rows[0].bytes;
}

function lineOf(n, version) {
  const { scored_at: _, ...item } = samplePublication(n, fromEpochMillis(Date.now()));
  const headline = `${item.news_event.headline} (${version})`;
  return `${JSON.stringify({ ...item, news_event: { ...item.news_event, headline } })}\n`;
}

/** Exports and copies alternate: the machine can be slower a minute later. */
async function exporting({ url, pid }, databaseUrl, key, changes) {
  const before = memoryOf(pid);
  const [exports, copies] = [[], []];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { lines } = startExports(url, key, 1);
    for await (const line of lines) {
      const done = JSON.parse(line);
      exports.push(done.seconds);
      bytes = done.bytes;
    }
    if (exports.length !== round + 1) throw new BenchFailure('an export failed');
    copies.push(await copySeconds(databaseUrl));
  }
  const [seconds, copied] = [median(exports), median(copies)];
  const rate = `${Math.round(changes / seconds)} changes a second, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s`;
  print('export', `${rate}; × ${(copied / seconds).toFixed(2)} of psql \\copy`);
  print('memory', `${before} MB before, ${memoryOf(pid)} MB after ${ROUNDS} exports`);
}

function startExports(url, key, times) {
  const script = join(ROOT, 'bench/history-export.mjs');
  const child = spawn(process.execPath, [script, url, key, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(() => child.kill());
  return { child, lines: createInterface({ input: child.stdout }) };
}

async function copySeconds(databaseUrl) {
  const at = performance.now();
  const command = ['-q', '-X', '-c', `\\copy (${COPIED}) to stdout`, databaseUrl];
  const child = spawn('psql', command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit').catch(() => {
    throw new BenchFailure('psql is not installed');
  });
  if (code !== 0) throw new BenchFailure(`psql ended with ${code}`);
  return (performance.now() - at) / 1_000;
}

/** Pages of another key, without an export and while one runs. */
async function pagesBeside({ url }, key, otherKey) {
  const headers = { 'X-API-Key': otherKey, 'Accept-Encoding': 'gzip' };
  const page = { url: `${url}/pm/v2/news`, headers, localAddress: '127.0.0.1', isOnNewConnection: false };
  const load = () => openLoop(PAGES, () => page);
  const text = ({ statuses, p50Ms, p99Ms }) => {
    if (statuses['200'] !== PAGES.count) throw new BenchFailure(`pages: ${JSON.stringify(statuses)}`);
    return `${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  };
  await load();
  const without = text(await load());
  const { child, lines } = startExports(url, key, Number.MAX_SAFE_INTEGER);
  lines.on('line', () => {});
  await pause(500);
  const beside = text(await load());
  if (child.exitCode !== null) throw new BenchFailure('the export ended before the pages');
  child.kill();
  await once(child, 'exit');
  print(`${PAGES.perSecond} pages a second`, `${without} without an export; ${beside} with one`);
}

/** A page as it was, with the search for its change, and a page of the feed. */
async function pagesOfThePast(db, changes) {
  const past = new PostgresFeedPast(db);
  const range = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 51 };
  const current = await timed(() => readPageOf(db, range));
  print('page of now', current.text);
  for (const share of SHARES) {
    const asOf = { by: 'position', position: { n: Math.round(changes * share), mark: '' } };
    const { median: millis, text } = await timed(async () => {
      const { point } = await past.find(asOf);
      const page = await past.page(range, point);
      if (page.length !== range.count) throw new BenchFailure(`a page of the past has ${page.length} items`);
    });
    print(`as of ${share * 100} % of the log`, `${text}; × ${(millis / current.median).toFixed(2)}`);
  }
}

async function timed(work) {
  const millis = [];
  for (let i = -SAMPLES / 10; i < SAMPLES; i += 1) {
    const at = performance.now();
    await work();
    if (i >= 0) millis.push(performance.now() - at);
  }
  millis.sort((a, b) => a - b);
  const p99 = millis[Math.floor(0.99 * (SAMPLES - 1))];
  return { median: median(millis), text: `${median(millis).toFixed(2)} ms, p99 ${p99.toFixed(2)} ms` };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

function print(name, text) {
  console.log(`${name.padEnd(24)}${text}`);
}

function memoryOf(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024);
}
