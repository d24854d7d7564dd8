import { eventLoopTime, isMeasurable } from './event-loop-time.mjs';
import { median } from './measuring.mjs';
import { startService } from './service.mjs';
import { SETTINGS_OF_WORST_REQUESTS, WORST_REQUESTS } from './worst-requests.mjs';

const TIMES = 20;
const WARM_UP_REQUESTS = 300;
/** The goal for one request of 16 KB. */
const GOAL_MS = 5;

/** Prints the event-loop time of the worst requests without a key, the most expensive first. */
export async function printWorstRequests() {
  if (!isMeasurable()) {
    console.log('Event-loop time cannot be measured: this system has no /proc.');
    return;
  }
  const rows = [];
  for (const hops of new Set(WORST_REQUESTS.map((one) => one.hops))) {
    const service = await startService({ ...SETTINGS_OF_WORST_REQUESTS, TRUSTED_PROXY_HOPS: String(hops) });
    await warmUp(service);
    for (const one of WORST_REQUESTS.filter((other) => other.hops === hops))
      rows.push(await measure(service, one));
    await service.stop();
  }
  rows.sort((a, b) => b.median - a.median);
  console.log(
    `\nEvent-loop time of one request without a key, ${TIMES} requests each; the goal is a median under ${GOAL_MS} ms.`,
  );
  console.log(`${'median'.padStart(9)} ${'max'.padStart(9)}      bytes  status`);
  for (const row of rows) console.log(line(row));
}

async function warmUp({ url }) {
  for (let i = 0; i < WARM_UP_REQUESTS; i += 1)
    await (await fetch(`${url}/pm/v2/news?limit=1`)).arrayBuffer();
}

async function measure(service, { name, build }) {
  const millis = [];
  const statuses = new Set();
  let bytes = 0;
  for (let n = 0; n < TIMES; n += 1) {
    const text = build({ n: 1_000 + n, now: Math.floor(Date.now() / 1_000) });
    bytes = text.length;
    const { ms, status } = await eventLoopTime(service, Buffer.from(text, 'latin1'));
    millis.push(ms);
    statuses.add(status ?? 'none');
  }
  return {
    name,
    bytes,
    statuses: [...statuses].join(','),
    median: median(millis),
    most: Math.max(...millis),
  };
}

function line({ name, bytes, statuses, median, most }) {
  const mark = median > GOAL_MS ? '!' : ' ';
  const figures = [median, most].map((ms) => `${ms.toFixed(2).padStart(6)} ms`).join(' ');
  return `${figures}  ${mark} ${String(bytes).padStart(7)}  ${statuses.padEnd(7)} ${name}`;
}
