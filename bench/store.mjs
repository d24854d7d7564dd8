// Measures the time of a page in Postgres as the feed grows, the size on disk, and the publishing rate.
// `npm run bench:store [-- 10000 100000 1000000]`. It starts its own durable Postgres in a temporary folder and stops it.
// The items are from the sample generator and have the usual size.
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { readAnyPageOf } from '../dist/src/adapters/postgres/feed/filtered-pages.js';
import { migrate } from '../dist/src/adapters/postgres/migrate.js';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { readPublication } from '../dist/src/domain/feed/feed-item.js';
import { TERMS } from '../dist/src/domain/feed/filters/item-terms.js';
import { fromEpochMillis, plus, SECOND } from '../dist/src/domain/moment.js';
import { sampleFeed } from '../dist/test/support/sample/sample-feed.js';
import { COMBINED_FILTERS, fillTerms, SINGLE_FILTERS } from './fill-terms.mjs';
import { publish } from './internal-calls.mjs';
import { startService } from './service.mjs';
import { createDatabase } from './stores.mjs';

const sizes = process.argv.slice(2).map(Number);
const counts = sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000];
const SAMPLES = 1_000;
const RUNS = 300;
const WARM_UP = 50;
const PUBLISHED = 10_000;
const BYTES_PER_ITEM = 6_000;
const NEWEST = fromEpochMillis(Date.now());

const free = statfsSync(tmpdir());
const needed = Math.max(...counts) * BYTES_PER_ITEM * 1.5;
if (free.bavail * free.bsize < needed) {
  console.error(`bench:store needs ${Math.round(needed / 1e9)} GB free in ${tmpdir()}`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
chmodSync(folder, 0o755); // As root, Postgres runs as another user.
const server = await startPostgresServer({ folder: join(folder, 'postgres'), durable: true });
try {
  await publishing();
  const medians = new Map();
  for (const count of counts) medians.set(count, await paging(count));
  compare(medians);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function database(name) {
  const url = await createDatabase(server.url, name);
  await migrate(url);
  return url;
}

/** Publishes through the service, as a publisher does, with fsync on. */
async function publishing() {
  const service = await startService({ DATABASE_URL: await database('publishing') });
  const items = sampleFeed(PUBLISHED, NEWEST);
  for (const [mode, what, published] of [
    ['backfill', 'new items', items],
    ['live', 'replaced items', items.map(corrected)],
  ]) {
    const body = published.map((item) => `${JSON.stringify(item)}\n`).join('');
    const at = performance.now();
    const { accepted } = await publish(service, body, mode);
    const seconds = (performance.now() - at) / 1_000;
    console.log(
      `published ${accepted} ${what} in ${seconds.toFixed(1)} s: ${Math.round(accepted / seconds)} per second`,
    );
  }
  await service.stop();
}

/** An equal body would be `unchanged`, and no item would be replaced. */
function corrected({ news_event, ...rest }) {
  return { ...rest, news_event: { ...news_event, headline: `${news_event.headline} (corrected)` } };
}

/** Inserts `count` items at intervals of one second, generated in the database from samples. */
async function fill(db, count) {
  const samples = sampleFeed(SAMPLES, NEWEST)
    .map((input) => readPublication(input, NEWEST))
    .map(({ item, subMarketIds }) => ({ json: Buffer.from(JSON.stringify(item)), subMarketIds }));
  await db.raw('create table sample (k int primary key, json bytea, sub_market_ids text[])');
  for (const [k, { json, subMarketIds }] of samples.entries()) {
    await db('sample').insert({ k, json, sub_market_ids: subMarketIds });
  }
  await db.raw(
    `insert into item (id, scored_at, json, sub_market_ids, has_terms, terms_version)
     select 'ne_' || n, ?::timestamptz + n * interval '1 second', sample.json, sample.sub_market_ids, true, ?
     from generate_series(1, ?) as n join sample on sample.k = n % ?`,
    [plus(NEWEST, -count * SECOND), TERMS.version, count, SAMPLES],
  );
  await db.raw(
    `insert into item_sub_market (sub_market_id, scored_at, item_id)
     select market.id, item.scored_at, item.id from item, unnest(item.sub_market_ids) as market (id)`,
  );
  await db.raw('drop table sample');
  await fillTerms(db, samples, count, plus(NEWEST, -count * SECOND));
  await db.raw('update feed_head set head = ?', [NEWEST]);
  await db.raw('vacuum analyze');
  await db.raw('checkpoint');
}

async function paging(count) {
  const db = connect(await database(`items_${count}`), { ...LONG_TIMEOUTS, statementMs: 3_600_000 }, 1);
  await fill(db, count);
  const store = { page: (range) => readAnyPageOf(db, db, range) };
  const { rows } = await db.raw('select pg_database_size(current_database()) as bytes');
  const { rows: markets } = await db.raw(
    'select sub_market_id as id from item_sub_market group by 1 having count(*) > 60 order by random() limit 50',
  );
  console.log(`\n${count.toLocaleString('en')} items, ${(rows[0].bytes / 1e6).toFixed(0)} MB on disk`);
  const everything = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 51 };
  const around = (share) => plus(NEWEST, -Math.floor(count * (share + (Math.random() - 0.5) * 0.1)) * SECOND);
  const asked = {
    'head page': () => everything,
    'page at half depth': () => ({ ...everything, before: around(0.5) }),
    'since (20 new items)': () => ({ ...everything, since: plus(NEWEST, -20 * SECOND) }),
    'market_id page': () => ({
      ...everything,
      marketId: markets[Math.floor(Math.random() * markets.length)].id,
    }),
  };
  for (const [name, terms] of Object.entries({ ...SINGLE_FILTERS, ...COMBINED_FILTERS })) {
    asked[name] = () => ({ ...everything, terms });
  }
  const medians = {};
  const slowest = {};
  for (const [name, range] of Object.entries(asked)) {
    for (let i = 0; i < WARM_UP; i += 1) await store.page(range());
    const millis = [];
    for (let i = 0; i < RUNS; i += 1) {
      const wanted = range();
      const at = performance.now();
      await store.page(wanted);
      millis.push(performance.now() - at);
    }
    millis.sort((a, b) => a - b);
    const at = (share) => millis[Math.floor(share * (RUNS - 1))];
    medians[name] = at(0.5);
    slowest[name] = at(0.99);
    console.log(`  ${name.padEnd(28)} median ${at(0.5).toFixed(2)} ms, p99 ${at(0.99).toFixed(2)} ms`);
  }
  await disconnect(db);
  judgeFilters(count, medians, slowest);
  return medians;
}

/** A filter by one code may take three times as long as a page without filters; other filters have a limit for their size. */
function judgeFilters(count, medians, slowest) {
  const plain = medians['head page'];
  const limit = count <= 100_000 ? 50 : 400;
  const late = [
    ...Object.keys(SINGLE_FILTERS).filter((name) => medians[name] > 3 * plain),
    ...Object.keys(COMBINED_FILTERS).filter((name) => slowest[name] > limit),
  ];
  console.log(
    late.length === 0 ? '  all filters within their limits' : `  beyond the limits: ${late.join('; ')}`,
  );
  if (late.length > 0) process.exitCode = 1;
}

function compare(medians) {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (least === most) return;
  console.log(`\n${most.toLocaleString('en')} items compared with ${least.toLocaleString('en')}, medians:`);
  for (const [name, millis] of Object.entries(medians.get(least))) {
    console.log(`  ${name.padEnd(28)} × ${(medians.get(most)[name] / millis).toFixed(2)}`);
  }
}
