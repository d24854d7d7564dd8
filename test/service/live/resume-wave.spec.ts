import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { batchOf } from '../../support/live/batches.js';
import { readStream } from '../../support/live/stream-reader.js';
import type { OpenLoop } from '../../support/load/open-loop.js';
import { type OpenLoopProcess, startOpenLoopProcess } from '../../support/load/open-loop-process.js';
import { market, publication, subMarket } from '../../support/objects/builders.js';
import { startTestPostgres, type TestPostgres } from '../../support/servers/postgres.js';
import { LOGGED_STATEMENTS, loggedStatements } from '../../support/servers/statement-log.js';
import { redisUrl } from '../../support/servers/stores.js';
import { aKey, type KeyView, publishAll } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import { type Service, startService } from '../../support/service/running-service.js';

const IS_DEEP = process.env['DEEP'] !== undefined;
/** As many as the plan of a key allows. */
const STREAMS_PER_KEY = 25;
const KEYS = IS_DEEP ? 200 : 20;
const KEYS_AT_ONCE = 20;
const RESUMES = KEYS * STREAMS_PER_KEY;
const QUERIES_MAX = 200;
/** What streams read: the log, the items, and keys. Other statements are those of background jobs. */
const QUERIES_OF_STREAMS = /\b(?:feed_change|item|api_key)\b/;
/** More than a process reads back into memory when it starts. */
const CHANGES = 3_000;
const PUBLISHED_AT_ONCE = 500;
/** Every hundredth item has this market: the streams read all changes, and send few of them. */
const MARKET = 'rare';
const MARKET_EVERY = 100;
const BATCHES = 2_000;
const REQUESTS = { perSecond: 200, count: IS_DEEP ? 1_600 : 300, connections: 16 };
/** The clients are in several networks, because the service bounds new keys from one. */
const NETWORKS = 50;
const ADDRESS_OF_OTHER = '127.0.77.1';
const RETRY_MS = 1_000;

const itemOf = (n: number) => {
  const hasMarket = (CHANGES - 1 - n) % MARKET_EVERY === 0;
  const markets = [market('m', subMarket(hasMarket ? MARKET : `s-${n}`))];
  return publication({ id: `n-${n}`, related_markets: markets });
};

const described = ({ statuses, p99OfOpenMs, p99OfNewMs }: OpenLoop) =>
  `requests: ${JSON.stringify(statuses)}, p99 ${p99OfOpenMs.toFixed(0)} ms on open connections, ` +
  `${p99OfNewMs.toFixed(0)} ms on new ones`;

describe('Clients that come all at once', function () {
  this.timeout(120_000);
  let postgres: TestPostgres;
  let service: Service;
  let client: Client;
  let otherCustomer: OpenLoopProcess;
  /** Of each change. */
  let positions: readonly string[];
  let refused = 0;
  const start = async () => {
    service = await startService({
      DATABASE_URL: postgres.url,
      REDIS_URL: redisUrl(),
      CONNECTIONS_PER_ADDRESS: '0',
      // Only for tests: would read each key every second.
      KEY_COMPARE_SECONDS: '600',
    });
    client = await Client.of(service);
  };
  before(async () => {
    postgres = await startTestPostgres({ settings: LOGGED_STATEMENTS });
    await start();
    otherCustomer = await startOpenLoopProcess();
  });
  after(async () => {
    otherCustomer.stop();
    await service.stop();
    await postgres.stop();
  });

  const url = () => service.instances[0]?.url ?? expect.fail('there is an instance');
  /** Requests of another customer: of a new one each time, because a test uses most of the quota of a minute. */
  const requestsOf = (other: string) =>
    otherCustomer.run({
      load: REQUESTS,
      request: {
        url: `${url()}/pm/v2/news?limit=5`,
        headers: { 'X-API-Key': other },
        localAddress: ADDRESS_OF_OTHER,
      },
      newConnectionEvery: 10,
    });
  const queries = () => loggedStatements(postgres).filter((text) => QUERIES_OF_STREAMS.test(text));

  /** Publishes all items. Returns the position of each change. */
  const published = async () => {
    const reader = await readStream(url(), (await aKey(client)).key);
    for (let from = 0; from < CHANGES; from += PUBLISHED_AT_ONCE)
      await publishAll(
        client,
        Array.from({ length: PUBLISHED_AT_ONCE }, (_, n) => itemOf(from + n)),
      );
    await reader.items(CHANGES);
    reader.close();
    return reader.messages.flatMap(({ type, position }) => (type === 'item' ? [position] : []));
  };

  /** Resumes within a second, from a position of its own. Tries again while the service is overloaded, as clients do. */
  const resumed = async (key: string, n: number) => {
    await setTimeout((n / RESUMES) * 1_000);
    const lastEventId = positions[Math.floor((n / RESUMES) * (CHANGES - 1))] ?? '';
    const localAddress = `127.0.${n % NETWORKS}.1`;
    for (;;) {
      const stream = await readStream(url(), key, {
        lastEventId,
        query: `?market_id=${MARKET}`,
        localAddress,
      });
      if (stream.status === 200) return stream;
      expect(stream.refusal).to.equal('overloaded');
      refused += 1;
      await setTimeout(RETRY_MS);
    }
  };

  it(`cost at most ${QUERIES_MAX} queries if ${RESUMES} of them resume after a restart, and requests go on`, async () => {
    positions = await published();
    const keys: KeyView[] = [];
    for (let n = 0; n < KEYS; n += KEYS_AT_ONCE)
      keys.push(...(await Promise.all(Array.from({ length: KEYS_AT_ONCE }, () => aKey(client)))));
    await service.stop();
    await start();
    const before = queries().length;
    const serving = requestsOf((await aKey(client)).key);
    const streams = await Promise.all(
      Array.from({ length: RESUMES }, (_, n) => resumed(keys[n % KEYS]?.key ?? '', n)),
    );
    await Promise.all(streams.map((stream) => stream.message('live')));
    const count = queries().length - before;
    const others = await serving;
    console.log(`      ${count} queries for ${RESUMES} resumes, ${refused} × 503; ${described(others)}`);
    expect(streams.map((stream) => stream.ids().at(-1))).to.deep.equal(streams.map(() => `n-${CHANGES - 1}`));
    expect(count).to.be.within(1, QUERIES_MAX);
    expect(others.statuses).to.deep.equal({ 200: REQUESTS.count });
    for (const stream of streams) stream.close();
  });

  for (const [where, query] of [
    ['now', () => '?wait=1'],
    ['a change in memory', () => `?wait=1&market_id=${MARKET}&after=${positions.at(-2)}`],
    ['a change in the store', () => `?wait=1&market_id=${MARKET}&after=${positions[0]}`],
  ] as const) {
    it(`get ${BATCHES} batches from ${where} with one new key, within its quota, and nobody else is refused`, async () => {
      const { key } = await aKey(client);
      const serving = requestsOf((await aKey(client)).key);
      const batches = await Promise.all(Array.from({ length: BATCHES }, () => batchOf(url(), key, query())));
      const others = await serving;
      const counts: Record<string, number> = {};
      for (const { status } of batches) counts[status] = (counts[status] ?? 0) + 1;
      console.log(`      batches: ${JSON.stringify(counts)}; ${described(others)}`);
      expect(others.statuses).to.deep.equal({ 200: REQUESTS.count });
      expect(counts).to.deep.equal({ 200: BATCHES });
    });
  }
});
