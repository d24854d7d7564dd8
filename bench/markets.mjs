// Measures the directory of markets (D63, D65): the response time of its calls, beside that of a page of the feed.
// Usage: MARKETS=10000 npm run bench:markets
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, disconnect, LONG_TIMEOUTS } from '../dist/src/adapters/postgres/connection.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { proKeys, publish } from './internal-calls.mjs';
import { BenchFailure, runBench } from './run-bench.mjs';
import { startService } from './service.mjs';
import { setting } from './setting.mjs';
import { startStores } from './stores.mjs';

const BATCH = 500;
const SAMPLES = 300;
const QUOTA = '1000000000';
const REFERENCES = 20;
const LISTED_WITHIN_MS = 600_000;

/** Each title has `senate` or `court`, and none has both. All have `decide` and `case`, 1 of 100 has `scarce`, the older half `former`. */
const titleOf = (number, markets) =>
  `Will the ${number * 2 < markets ? 'former ' : ''}${number % 2 === 0 ? 'senate' : 'court'} decide in case ${number}${number % 100 === 0 ? ' of scarce goods' : ''}?`;

const idOf = (number) => `market-${String(number).padStart(9, '0')}`;

/** The calls, with the number of markets in each response. */
const calls = (markets) => {
  const found = (query, count) => ({ path: `/pm/v2/markets?${query}`, count });
  const references = Array.from({ length: REFERENCES }, (_, i) => idOf(i * Math.floor(markets / REFERENCES)));
  return {
    'a page of the feed': { path: '/pm/v2/news' },
    'a page': found('limit=50', 50),
    'a page of 500': found('limit=500', 500),
    'a reference': found(`ref=${idOf(7)}`, 1),
    [`${REFERENCES} references`]: found(
      `limit=100&${references.map((id) => `ref=${id}`).join('&')}`,
      REFERENCES,
    ),
    'a word that all titles have': found('q=decide', 50),
    'a word that 1 of 100 has': found('q=scarce', 50),
    'a word that one has': found(`q=${markets - 1}`, 1),
    'two words that never meet': found('q=senate+court', 0),
    'these and two that all have': found('q=senate+court+decide+case', 0),
    'a word that the older half has': found('q=former', 50),
    'a word that none has': found('q=nowhere', 0),
  };
};

await runBench(async () => {
  const markets = setting('MARKETS', 10_000);
  if (markets < 5_000) throw new BenchFailure(`MARKETS must be at least 5000, but it is ${markets}`);
  const { databaseUrl, redisUrl } = await (await startStores()).next();
  const limits = { RATE_LIMIT_PRO_MINUTE: QUOTA, RATE_LIMIT_PRO_DAY: QUOTA };
  const service = await startService({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ...limits });
  const [key] = await proKeys(service, 1);
  const agent = new Agent({ keepAlive: true });
  const answer = (path) => responseTo(`${service.url}${path}`, key, agent);
  const at = performance.now();
  const items = await publishMarkets(service, markets);
  const publishedAt = performance.now();
  while (!(await isListed(answer, idOf(markets - 1)))) {
    if (performance.now() - publishedAt > LISTED_WITHIN_MS)
      throw new BenchFailure('the directory does not get the last market');
    await pause(100);
  }
  console.log(
    `${items} items of ${markets} sub-markets published in ${seconds(at, publishedAt)}, listed ${seconds(publishedAt)} later; ` +
      `${SAMPLES} calls of each kind, one after the other.\n`,
  );
  await analyze(databaseUrl);
  for (const [name, call] of Object.entries(calls(markets))) await measure(name, call, answer);
  agent.destroy();
});

/** False also while the first directory is built: it is then unavailable. */
async function isListed(answer, id) {
  const { status, body } = await answer(`/pm/v2/markets?ref=${id}`);
  return status === 200 && JSON.parse(body).unknown.length === 0;
}

/** As Postgres itself does within a minute. */
async function analyze(databaseUrl) {
  const db = connect(databaseUrl, LONG_TIMEOUTS, 1);
  await db.raw('analyze');
  await disconnect(db);
}

/** Publishes items of the usual size, whose markets have numbers from 0 on. */
async function publishMarkets(service, count) {
  let number = 0;
  let items = 0;
  const next = () => ({ sub_market_id: idOf(number), sub_market_title: titleOf(number++, count) });
  while (number < count) {
    const lines = [];
    while (lines.length < BATCH && number < count) lines.push(lineOf(items++, next));
    const { accepted } = await publish(service, lines.join(''));
    if (accepted !== lines.length) throw new BenchFailure(`${accepted} of ${lines.length} items accepted`);
  }
  return items;
}

function lineOf(n, nextMarket) {
  const { scored_at: _, ...item } = samplePublication(n, fromEpochMillis(Date.now()));
  for (const { main_market: main, sub_markets: subs } of item.related_markets) {
    main.market_id = `main-${n}`;
    for (const sub of subs) Object.assign(sub, nextMarket());
  }
  return `${JSON.stringify(item)}\n`;
}

async function measure(name, { path, count }, answer) {
  const { status, body } = await answer(path);
  const { markets } = JSON.parse(body);
  if (status !== 200 || (count !== undefined && markets.length !== count))
    throw new BenchFailure(`${path} returned ${status} with ${markets?.length} markets`);
  const millis = [];
  for (let i = -SAMPLES / 10; i < SAMPLES; i += 1) {
    const at = performance.now();
    const { status: each, body: same } = await answer(path);
    if (i >= 0) millis.push(performance.now() - at);
    if (each !== 200 || same.length !== body.length)
      throw new BenchFailure(`${path} returned ${each}: ${same}`);
  }
  millis.sort((a, b) => a - b);
  const percentile = (share) => millis[Math.floor(share * (SAMPLES - 1))].toFixed(1);
  const size = `${Math.round(body.length / 1_000)} kB`;
  console.log(`${name.padEnd(32)}${percentile(0.5)} ms, p99 ${percentile(0.99)} ms; ${size}`);
}

async function responseTo(url, key, agent) {
  const [response] = await once(get(url, { agent, headers: { 'X-API-Key': key } }), 'response');
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, body: Buffer.concat(chunks) };
}

function seconds(from, to = performance.now()) {
  return `${((to - from) / 1_000).toFixed(1)} s`;
}
