// How soon the service is ready, what it weighs with 10 000 items, and what a 15 KB query string costs.
// `npm run bench:footprint`; it starts the service itself, on free ports, and stops it.
import { readFileSync } from 'node:fs';
import { sampleFeed } from '../dist/src/adapters/sample/sample-feed.js';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { startService } from './service.mjs';

const ITEMS = 10_000;
const BATCH = 500;
const REQUESTS = 200;

const startedAt = performance.now();
const service = await startService();
console.log(`ready after ${Math.round(performance.now() - startedAt)} ms`);

const residentMb = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_024;
const items = sampleFeed(ITEMS, fromEpochMillis(Date.now()));
for (let from = 0; from < ITEMS; from += BATCH) {
  const body = items.slice(from, from + BATCH).map((item) => `${JSON.stringify(item)}\n`).join('');
  const answer = await fetch(`${service.internalUrl}/internal/v1/news`, {
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
  await (await fetch(`${service.url}/pm/v2/news?${query}`)).arrayBuffer();
  millis.push(performance.now() - at);
}
millis.sort((a, b) => a - b);
const at = (share) => millis[Math.floor(share * (REQUESTS - 1))].toFixed(2);
console.log(`a 15 KB query string without a key: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);

await service.stop();
