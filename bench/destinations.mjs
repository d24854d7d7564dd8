// Measures deliveries to destinations: 10 000 webhooks, 100 of which match each item, and the same bytes signed and posted by a
// bare loop. `npm run bench:destinations [-- 10000 [items [items a second]]]`. It starts its own Postgres and stops it.
import { fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgresServer } from '../dist/src/adapters/postgres-server/postgres-server.js';
import { compose } from '../dist/src/composition/compose.js';
import { shownUrl } from '../dist/src/domain/destinations/destination-url.js';
import { startService } from '../dist/src/process/service.js';
import { readConfig } from '../dist/src/settings/config.js';
import { market, publication, subMarket, timedNow } from '../dist/test/support/objects/builders.js';

const [wanted = 10_000, items = 100, perSecond = 5] = process.argv.slice(2).map(Number);
const MATCHING = 100;
const PER_ACCOUNT = 25;
const CALLERS = 50;

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'));
chmodSync(folder, 0o755); // As root, Postgres runs as another user.
const postgres = await startPostgresServer({ folder: join(folder, 'postgres'), durable: true });
const receiver = fork(new URL('./destination-receiver.mjs', import.meta.url));
const answerOf = () => new Promise((done) => receiver.once('message', done));
const { port } = await answerOf();
const config = readConfig(
  {
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: postgres.url,
    STATE_DIR: folder,
    LOG_LEVEL: 'silent',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DESTINATIONS_ALLOW: '127.0.0.0/8',
  },
  () => {},
);
if ('faults' in config) throw new Error(config.faults.join('\n'));
const service = await compose(config);
const running = await startService(service, config);

try {
  const groups = Math.ceil(wanted / MATCHING);
  await createDestinations(groups);
  await publishNews(-1);
  await pause(3_000);
  await figures();
  const before = await tableBytes();
  const usage = process.cpuUsage();
  const begunAt = performance.now();
  for (let i = 0; i < items; i += 1) {
    await publishNews(i % groups);
    await pause(Math.max(0, begunAt + ((i + 1) * 1_000) / perSecond - performance.now()));
  }
  let delivered = 0;
  const delays = [];
  for (let i = 0; i < 60 && delivered < items * MATCHING; i += 1) {
    const since = await figures();
    delivered += since.received;
    delays.push(...since.delays);
    await pause(500);
  }
  const spent = process.cpuUsage(usage);
  const cpuSeconds = (spent.user + spent.system) / 1e6;
  delays.sort((one, other) => one - other);
  const after = await tableBytes();
  console.log(
    `${wanted} destinations, ${items} items at ${perSecond} a second, ${MATCHING} of them match each item`,
  );
  console.log(
    `delivered ${delivered} of ${items * MATCHING}; from publish to receipt: median ${at(delays, 0.5)} ms, p99 ${at(delays, 0.99)} ms`,
  );
  const rate = delivered / cpuSeconds;
  const bare = await bareLoop(Math.min(delivered, 5_000));
  console.log(
    `${rate.toFixed(0)} deliveries a CPU second; a bare loop ${bare.toFixed(0)}; x ${(rate / bare).toFixed(2)}`,
  );
  console.log(
    `Postgres: ${((after.rows - before.rows) / delivered).toFixed(2)} rows a delivery, all of them in the log of deliveries`,
  );
} finally {
  await running.stop();
  receiver.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function figures() {
  const answer = answerOf();
  receiver.send('figures');
  return answer;
}

async function createDestinations(groups) {
  const { parts } = service;
  const url = `http://127.0.0.1:${port}/hook`;
  let account = null;
  for (let i = 0; i < wanted; i += 1) {
    if (i % PER_ACCOUNT === 0) {
      const email = `${i}@bench.example`;
      account = await parts.openAccount({ email, plan: 'pro', processorCustomerId: null }, 'bench');
    }
    const id = parts.newDestinationId();
    const seal = (text, field) => parts.sealing.seal(text, { destination: id, field });
    const secrets = { current: seal(parts.webhookSigner.makeSecret(), 'secret'), older: null };
    const target = { kind: 'webhook', url: seal(url, 'url'), shownUrl: shownUrl(url), secrets };
    const fresh = { id, label: 'bench', filter: `market_id=s-${i % groups}`, target };
    await parts.createDestination(account.id, fresh, 'bench');
    await parts.changeDestination(account.id, id, { event: 'tested' }, { actor: 'bench' });
  }
}

async function publishNews(group) {
  const sent = timedNow(
    publication({
      id: `item-${group}-${performance.now()}`,
      related_markets: [market('m1', subMarket(`s-${group}`))],
    }),
  );
  const news_event = { ...sent.news_event, headline: `at ${Date.now()}` };
  await service.parts.publishNews([{ ...sent, news_event }], 'live');
}

async function tableBytes() {
  const { rows } = await service.parts.database.db.raw('select count(*) as rows from destination_delivery');
  return { rows: Number(rows[0].rows) };
}

/** Signs and posts a body of the same size, over connections that are kept, like a program without rules. Returns requests a CPU second. */
async function bareLoop(count) {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const body = Buffer.from(
    JSON.stringify({ messages: [{ type: 'item', item: publication({ id: 'bare' }) }] }),
  );
  const secret = Buffer.alloc(32, 1);
  const post = (i) =>
    new Promise((done, fail) => {
      const seconds = Math.floor(Date.now() / 1_000);
      const signature = createHmac('sha256', secret)
        .update(`msg_${i}.${seconds}.`)
        .update(body)
        .digest('base64');
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        'webhook-id': `msg_${i}`,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${signature}`,
      };
      const sending = request({ host: '127.0.0.1', port, method: 'POST', path: '/hook', agent, headers });
      sending.once('error', fail).once('response', (response) => response.resume().once('end', done));
      sending.end(body);
    });
  const usage = process.cpuUsage();
  let next = 0;
  const caller = async () => {
    for (let i = next++; i < count; i = next++) await post(i);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const spent = process.cpuUsage(usage);
  agent.destroy();
  return count / ((spent.user + spent.system) / 1e6);
}
