// Measures the history (D59 to D61): the rate of an export, what it costs other readers, pages as they were, publishing, the disk that
// versions take, and how long the directory of markets is built anew (D65). Usage: ITEMS=1000000 ROUNDS=1 npm run bench:history
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { readPageOf } from '../dist/src/adapters/postgres/feed/feed-queries.js';
import { PostgresFeedPast } from '../dist/src/adapters/postgres/feed/postgres-feed-past.js';
import { migrate } from '../dist/src/adapters/postgres/migrate.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { openLoop } from '../dist/test/support/load/open-loop.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { fillHistory, RARE } from './fill-history.mjs';
import { proKeys, publish } from './internal-calls.mjs';
import { atEnd, BenchFailure, runBench } from './run-bench.mjs';
import { ROOT, startService } from './service.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';

const BATCH = 500;
/** Published through the service, then replaced. All others are written to the database. */
const PUBLISHED = 10_000;
const ROUNDS = setting('ROUNDS', 3);
const PAGES = { perSecond: 200, count: 2_000 };
const SAMPLES = 300;
const SHARES = [0.01, 0.5, 0.99];
const QUOTA = '1000000000';
/** What an export of these changes reads, with the bytes that its items have. */
const copied = ({ since, until }) =>
  `
  select change.n, change.known_at, change.kind, change.revision, convert_from(version.json, 'UTF8')
  from feed_change as change cross join lateral (
    select json from item where id = change.item_id and item.n = change.n
    union all
    select json from item_version where id = change.item_id and item_version.n = change.n
    limit 1
  ) as version
  where change.n > ${since.n} and change.n <= ${until.n} order by change.n`.replaceAll('\n', ' ');

await runBench(async () => {
  const items = setting('ITEMS', 10_000);
  const { databaseUrl, redisUrl } = await (await startStores()).next();
  const db = connect(databaseUrl, { ...LONG_TIMEOUTS, statementMs: 3_600_000 }, 1);
  atEnd(() => disconnect(db));
  await migrate(databaseUrl);
  const at = performance.now();
  const changes = await fillHistory(db, items);
  console.log(`${count(changes)} changes of ${count(2 * items + 1)} items, ${secondsSince(at)}\n`);
  // An export takes a permit for every 500 changes.
  const limits = { RATE_LIMIT_PRO_MINUTE: QUOTA, RATE_LIMIT_PRO_DAY: QUOTA };
  const service = await startService({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...limits });
  const keys = await proKeys(service, 2);
  const range = await exportedRange(db, items);
  await exporting(service, databaseUrl, keys[0], range);
  await pagesBeside(service, databaseUrl, keys, range);
  await pagesOfThePast(db, items, changes);
  await publishing(service, db);
  await directory(db);
});

/** `items` changes: half of their versions are superseded, the others are in the feed. */
async function exportedRange(db, items) {
  const { rows } = await db.raw('select n, known_at from feed_change where n = any(?) order by n', [
    [items / 2, 1.5 * items],
  ]);
  const [since, until] = rows;
  return { since, until, changes: items };
}

/** Publishes items, then a new version of each. */
async function publishing(service, db) {
  const before = await versionBytes(db);
  const rates = [];
  for (const version of [1, 2]) {
    const at = performance.now();
    for (let from = 0; from < PUBLISHED; from += BATCH) {
      const lines = Array.from({ length: BATCH }, (_, i) => lineOf(from + i, version));
      const { accepted } = await publish(service, lines.join(''));
      if (accepted !== lines.length) throw new BenchFailure(`${accepted} of ${lines.length} items accepted`);
    }
    rates.push((PUBLISHED * 1_000) / (performance.now() - at));
  }
  print('published', `${Math.round(rates[0])} new items a second, ${Math.round(rates[1])} replaced ones`);
  const megabytes = (((await versionBytes(db)) - before) * 100_000) / PUBLISHED / 1e6;
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
async function exporting({ url, pid }, databaseUrl, key, range) {
  await exportSeconds(url, key, range); // V8 compiles what is used.
  const before = memoryOf(pid, 'VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5'); // The greatest use of memory counts from here.
  const [exports, copies] = [[], []];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const done = await exportSeconds(url, key, range);
    exports.push(done.seconds);
    bytes = done.bytes;
    copies.push(await copySeconds(databaseUrl, range));
  }
  const [seconds, copied] = [median(exports), median(copies)];
  const rate = `${count(range.changes)} changes, ${Math.round(range.changes / seconds)} a second, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s`;
  print('export', `${rate}; × ${(copied / seconds).toFixed(2)} of psql \\copy`);
  print('memory', `${before} MB before, at most ${memoryOf(pid, 'VmHWM')} MB during ${ROUNDS} exports`);
}

async function exportSeconds(url, key, range) {
  for await (const line of startExports(url, key, range, 1).lines) return JSON.parse(line);
  throw new BenchFailure('an export failed');
}

function startExports(url, key, { since, until }, times) {
  const script = join(ROOT, 'bench/history-export.mjs');
  const query = new URLSearchParams({ since: since.known_at, until: until.known_at });
  const child = spawn(process.execPath, [script, `${url}/pm/v2/history?${query}`, key, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  atEnd(() => child.kill());
  return { child, lines: createInterface({ input: child.stdout }) };
}

async function copySeconds(databaseUrl, range) {
  const at = performance.now();
  const command = ['-q', '-X', '-c', `\\copy (${copied(range)}) to stdout`, databaseUrl];
  const child = spawn('psql', command, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit').catch(() => {
    throw new BenchFailure('psql is not installed');
  });
  if (code !== 0) throw new BenchFailure(`psql ended with ${code}`);
  return (performance.now() - at) / 1_000;
}

/** Pages of another key, without an export and while one runs. */
async function pagesBeside({ url }, databaseUrl, [key, otherKey], range) {
  const headers = { 'X-API-Key': otherKey, 'Accept-Encoding': 'gzip' };
  const page = { url: `${url}/pm/v2/news`, headers, localAddress: '127.0.0.1', isOnNewConnection: false };
  const load = () => openLoop(PAGES, () => page);
  const text = ({ statuses, p50Ms, p99Ms }) => {
    if (statuses['200'] !== PAGES.count) throw new BenchFailure(`pages: ${JSON.stringify(statuses)}`);
    return `${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  };
  await load();
  const without = text(await load());
  const { child, lines } = startExports(url, key, range, Number.MAX_SAFE_INTEGER);
  let last = '';
  lines.on('line', (line) => {
    last = line;
  });
  await pause(500);
  const beside = text(await load());
  if (child.exitCode !== null) throw new BenchFailure('the export ended before the pages');
  child.kill();
  await once(child, 'close');
  const exported = JSON.parse(last);
  let isOver = false;
  const copies = (async () => {
    while (!isOver) await copySeconds(databaseUrl, range);
  })();
  const besideCopy = text(await load());
  isOver = true;
  await copies;
  print(
    `${PAGES.perSecond} pages a second`,
    `${without} alone; ${beside} beside an export; ${besideCopy} beside \\copy`,
  );
  print('export beside the pages', `${(exported.bytes / 1e6 / exported.seconds).toFixed(1)} MB/s`);
}

/** The directory of markets is built from all items, because the log does not have its position. */
async function directory(db) {
  const at = performance.now();
  const { rows } = await db.raw(
    "update market_generation set mark = 'none' where is_served and not is_ended returning id",
  );
  const isReplaced = async () => {
    const { rows: found } = await db.raw(
      'select from market_generation where id <> ? and is_served and not is_ended',
      [rows[0].id],
    );
    return found.length > 0;
  };
  while (!(await isReplaced())) await pause(200);
  const { rows: items } = await db.raw('select count(*)::integer as stored from item');
  print('directory of markets', `built from ${count(items[0].stored)} items in ${secondsSince(at)}`);
}

/** A page as it was, with the search for its change, and a page of the feed. */
async function pagesOfThePast(db, items, changes) {
  const past = new PostgresFeedPast(db);
  const everything = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 51 };
  const cases = {
    'the feed': [everything, SHARES.map((share) => [`${share * 100} % of the log`, changes * share])],
    // An item was replaced again and again before, and its versions are the newest.
    'one item replaced often': [everything, [['in the middle of it', 3 * items + 0.05 * items]]],
    'a rare market': [{ ...everything, marketId: RARE.market }, [['50 % of the log', changes / 2]]],
    // All that was backfilled is newer than the change, and is passed in the index.
    'the last page': [{ ...everything, count: 26 }, [['25 items are left', 25]]],
  };
  for (const [name, [range, points]] of Object.entries(cases)) {
    const current = await timed(() => readPageOf(db, range));
    print(name, `now ${current.text}`);
    for (const [where, n] of points) {
      const asOf = { by: 'position', position: { n: Math.round(n), mark: '' } };
      const { median: millis, text } = await timed(async () => {
        const { point } = await past.find(asOf);
        const page = await past.page(range, point);
        if (page.length < Math.min(range.count, 25))
          throw new BenchFailure(`a page of the past has ${page.length} items`);
      });
      print(`  as of ${where}`, `${text}; × ${(millis / current.median).toFixed(2)}`);
    }
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
  console.log(`${name.padEnd(28)}${text}`);
}

function memoryOf(pid, field) {
  return Math.round(
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024,
  );
}

function count(number) {
  return number.toLocaleString('en');
}

function secondsSince(at) {
  return `${((performance.now() - at) / 1_000).toFixed(1)} s`;
}
