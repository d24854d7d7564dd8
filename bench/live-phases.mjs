import { setTimeout as pause } from 'node:timers/promises';
import { machineMillis } from './live-readers.mjs';
import { cpuSeconds } from './measuring.mjs';

/** The rates of items for which deliveries and lag are compared. */
const SLOW = 1;
const FAST = 10;
/** The number of streams, and the rate, for which the time until the last reader is an absolute goal. */
const FEW_STREAMS = 2_000;
const FEW_STREAMS_RATE = 5;
const BATCH = 100;
/** After streams were opened or closed, or memory was measured. */
const SETTLE_MS = 2_000;

/**
 * Measures a process that serves streams: memory in bytes, times in ms. `openingMs`: CPU time for one stream. `slow` and
 * `fast`: 1 and 10 items a second on all streams. `few`: 2 000 streams.
 */
export async function measureTarget(target, readers, { streams, seconds, items }) {
  const few = Math.min(FEW_STREAMS, streams);
  const without = await residentBytes(target);
  const cpuBefore = cpuSeconds(target.pid);
  await readers.open(target, streams);
  const openingMs = ((cpuSeconds(target.pid) - cpuBefore) / streams) * 1_000;
  await pause(SETTLE_MS);
  const idle = await residentBytes(target);
  await pause(SETTLE_MS);
  const slow = await publishSteadily(target, readers, { rate: SLOW, seconds, streams });
  const fast = await publishSteadily(target, readers, { rate: FAST, seconds, streams });
  await readers.keep(few);
  await pause(SETTLE_MS);
  const ofFew = await publishSteadily(target, readers, { rate: FEW_STREAMS_RATE, seconds, streams: few });
  const before = await usedBytes(target);
  await publishBatches(target, readers, items);
  const { windowBytesMax } = await target.ask('delay');
  const after = await usedBytes(target);
  await readers.keep(0);
  return {
    ...{ openingMs, slow, fast, windowBytesMax },
    few: { ...ofFew, streams: few },
    bytesPerStream: (idle - without) / streams,
    grownBytesPerStream: (after - before) / few,
  };
}

/** The resident memory after garbage collection. */
const residentBytes = async (target) => (await target.ask('memory')).rss;

/** The bytes of live objects and buffers: while items are published, the allocator may keep more pages. */
async function usedBytes(target) {
  const { heapUsed, external } = await target.ask('memory');
  return heapUsed + external;
}

/**
 * Publishes `rate` items a second, one in each request. Returns the deliveries for each second of CPU time, the times from
 * when each item was due until the last reader had it, and the 99th percentile of the delay of the event loop.
 */
async function publishSteadily(target, readers, { rate, seconds, streams }) {
  const count = rate * seconds;
  await Promise.all([readers.reset(), target.ask('reset')]);
  const cpuBefore = cpuSeconds(target.pid);
  const began = machineMillis();
  const dueAt = Array.from({ length: count }, (_, n) => began + (n * 1_000) / rate);
  for (const due of dueAt) {
    await pause(Math.max(0, due - machineMillis()));
    await target.publish(1);
  }
  const lastAt = await readers.until(count);
  await pause(Math.max(0, began + seconds * 1_000 - machineMillis()));
  const { p99Ms } = await target.ask('delay');
  return {
    perCpuSecond: (streams * count) / (cpuSeconds(target.pid) - cpuBefore),
    millis: lastAt.map((last, n) => last - dueAt[n]).sort((a, b) => a - b),
    loopDelayMs: p99Ms,
  };
}

/** As fast as the readers get them. */
async function publishBatches(target, readers, items) {
  await Promise.all([readers.reset(), target.ask('reset')]);
  for (let sent = 0; sent < items; ) {
    const count = Math.min(BATCH, items - sent);
    await target.publish(count);
    sent += count;
    await readers.until(sent);
  }
}
