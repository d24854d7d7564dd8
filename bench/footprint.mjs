// How soon the service is ready, what it weighs with 10 000 items, and what a 15 KB query string costs.
// `npm run bench:footprint`; it starts the service itself, on free ports, and stops it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';

const ITEMS = 10_000;
const BATCH = 500;
const REQUESTS = 200;

const startedAt = performance.now();
const child = spawn(process.execPath, ['dist/src/main.js'], {
  env: {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    OPERATOR_TOKEN: 'o',
    PUBLISHER_TOKEN: 'p',
    LOG_LEVEL: 'info',
    DRAIN_DELAY_MS: '0',
  },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const { port, internal_port } = await new Promise((done) => {
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line);
    if (entry.msg === 'listening') done(entry);
  });
});
console.log(`ready after ${Math.round(performance.now() - startedAt)} ms`);

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
const items = sampleFeed(ITEMS, fromEpochMillis(Date.now()));
for (let from = 0; from < ITEMS; from += BATCH) {
  const body = items.slice(from, from + BATCH).map((item) => `${JSON.stringify(item)}\n`).join('');
  const answer = await fetch(`http://127.0.0.1:${internal_port}/internal/v1/news`, {
    method: 'POST',
    headers: { Authorization: 'Bearer p', 'Content-Type': 'application/x-ndjson' },
    body,
  });
  const { accepted } = await answer.json();
  if (accepted !== BATCH) throw new Error(`only ${accepted} of ${BATCH} were accepted`);
}
console.log(`${Math.round(residentMb())} MB resident with ${ITEMS} items`);

const query = 'a&'.repeat(7_500);
const millis = [];
for (let i = 0; i < REQUESTS; i += 1) {
  const at = performance.now();
  await (await fetch(`http://127.0.0.1:${port}/pm/v2/news?${query}`)).arrayBuffer();
  millis.push(performance.now() - at);
}
millis.sort((a, b) => a - b);
const at = (share) => millis[Math.floor(share * (REQUESTS - 1))].toFixed(2);
console.log(`a 15 KB query string without a key: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);

child.kill('SIGTERM');
await once(child, 'exit');
