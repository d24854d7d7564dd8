// Measures the time until the service is ready, its memory with 10 000 items, and the cost of the worst requests without a
// key. `npm run bench:footprint`. It starts the service on free ports, with its stores in memory, and stops it.
import { readFileSync } from 'node:fs';
import { fromEpochMillis } from '../dist/src/domain/moment.js';
import { sampleFeed } from '../dist/test/support/sample/sample-feed.js';
import { publish } from './internal-calls.mjs';
import { runBench } from './run-bench.mjs';
import { startService } from './service.mjs';
import { printWorstRequests } from './unauthenticated.mjs';

const ITEMS = 10_000;
const BATCH = 500;

await runBench(async () => {
  await printSize();
  await printWorstRequests();
});

async function printSize() {
  const startedAt = performance.now();
  const service = await startService();
  console.log(`ready after ${Math.round(performance.now() - startedAt)} ms`);

  const items = sampleFeed(ITEMS, fromEpochMillis(Date.now()));
  for (let from = 0; from < ITEMS; from += BATCH) {
    const body = items
      .slice(from, from + BATCH)
      .map((item) => `${JSON.stringify(item)}\n`)
      .join('');
    const { accepted } = await publish(service, body);
    if (accepted !== BATCH) throw new Error(`only ${accepted} of ${BATCH} items were accepted`);
  }
  console.log(`${residentMb(service.pid)} MB resident memory with ${ITEMS} items`);
  await service.stop();
}

function residentMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024);
}
