import { setTimeout as pause } from 'node:timers/promises';
import { machineMillis } from './live-readers.mjs';
import { cpuSeconds } from './measuring.mjs';

/** The rates of items for which deliveries and lag are compared. */
const SLOW = 1;
const FAST = 10;
/** The number of streams, and the rate, for which the time until the last reader is an absolute goal. */
const FEW_STREAMS = 2_000;
const FEW_STREAMS_RATE = 5;
/** A process compiles the code that it runs often. This happens once, so it is done before the measurement. */
const WARM_UP_SECONDS = 5;
/** The rounds of each phase. */
const ROUNDS = 4;
const BATCH = 100;
/** Between two requests for a page while items are published. */
const REQUEST_EVERY_MS = 20;
/** After streams were opened or closed, or memory was measured. */
const SETTLE_MS = 2_000;

/**
 * Measures processes that serve streams, each with its own readers: memory in bytes, times in ms. `openingMs`: CPU time for
 * one stream. `slow` and `fast`: 1 and 10 items a second on all streams. `few`: 2 000 streams. All have their streams open at
 * the same time, and each phase is measured in turns, because a machine can be a quarter slower from one minute to the next.
 */
export async function measureAlternating(targets, { streams, seconds, items }) {
  const few = Math.min(FEW_STREAMS, streams);
  const opened = await inOrder(targets, (target) => openStreams(target, streams));
  await inOrder(targets, (target) =>
    publishSteadily(target, { rate: FAST, seconds: WARM_UP_SECONDS, streams }),
  );
  const inRounds = async (rate, count) => {
    const rounds = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const order = n % 2 === 0 ? targets : targets.toReversed();
      const phase = { rate, seconds: seconds / ROUNDS, streams: count };
      const results = await inOrder(order, (target) => publishSteadily(target, phase));
      rounds.push(new Map(results.map((result, i) => [order[i], result])));
    }
    return targets.map((target) => together(rounds.map((results) => results.get(target))));
  };
  const slow = await inRounds(SLOW, streams);
  const fast = await inRounds(FAST, streams);
  await inOrder(targets, ({ readers }) => readers.keep(few));
  await pause(SETTLE_MS);
  const ofFew = await inRounds(FEW_STREAMS_RATE, few);
  const grown = await inOrder(targets, (target) => growth(target, items, few));
  await inOrder(targets, ({ readers }) => readers.keep(0));
  return targets.map((_, i) => ({
    ...opened[i],
    ...grown[i],
    slow: slow[i],
    fast: fast[i],
    few: { ...ofFew[i], streams: few },
  }));
}

async function inOrder(targets, work) {
  const results = [];
  for (const target of targets) results.push(await work(target));
  return results;
}

/** The rounds of one phase as one. The delay of the event loop is that of the worst round. */
const together = (rounds) => ({
  perCpuSecond: sum(rounds.map(({ deliveries }) => deliveries)) / sum(rounds.map(({ cpu }) => cpu)),
  millis: rounds.flatMap(({ millis }) => millis).sort((a, b) => a - b),
  loopDelayMs: Math.max(...rounds.map(({ loopDelayMs }) => loopDelayMs)),
  requestMillis: rounds.flatMap(({ requestMillis }) => requestMillis).sort((a, b) => a - b),
});

const sum = (values) => values.reduce((total, value) => total + value, 0);

async function openStreams(target, streams) {
  const without = await residentBytes(target);
  const cpuBefore = cpuSeconds(target.pid);
  await target.readers.open(target, streams);
  const openingMs = ((cpuSeconds(target.pid) - cpuBefore) / streams) * 1_000;
  await pause(SETTLE_MS);
  const idle = await residentBytes(target);
  await pause(SETTLE_MS);
  return { openingMs, bytesPerStream: (idle - without) / streams };
}

/** The memory after `items` that `few` streams were sent. */
async function growth(target, items, few) {
  const before = await usedBytes(target);
  await publishBatches(target, items);
  const after = await usedBytes(target);
  return { grownBytesPerStream: (after - before) / few };
}

/** The resident memory after garbage collection. */
const residentBytes = async (target) => (await target.ask('memory')).rss;

/** The bytes of live objects and buffers: while items are published, the allocator may keep more pages. */
async function usedBytes(target) {
  const { heapUsed, external } = await target.ask('memory');
  return heapUsed + external;
}

/**
 * Publishes `rate` items a second, one in each request. Returns the deliveries and their CPU time in seconds, the times from
 * when each item was due until the last reader had it, and the 99th percentile of the delay of the event loop.
 */
async function publishSteadily(target, { rate, seconds, streams }) {
  const count = Math.ceil(rate * seconds);
  await Promise.all([target.readers.reset(), target.ask('reset')]);
  const cpuBefore = cpuSeconds(target.pid);
  const began = machineMillis();
  const dueAt = Array.from({ length: count }, (_, n) => began + (n * 1_000) / rate);
  const requests = requestsUntil(target, began + seconds * 1_000);
  for (const due of dueAt) {
    await pause(Math.max(0, due - machineMillis()));
    await target.publish(1);
  }
  const lastAt = await target.readers.until(count);
  await pause(Math.max(0, began + seconds * 1_000 - machineMillis()));
  const { p99Ms } = await target.ask('delay');
  return {
    deliveries: streams * count,
    cpu: cpuSeconds(target.pid) - cpuBefore,
    millis: lastAt.map((last, n) => last - dueAt[n]).sort((a, b) => a - b),
    loopDelayMs: p99Ms,
    requestMillis: await requests,
  };
}

/** The response times of requests for a page, one after the other. None for a process that serves no pages. */
async function requestsUntil({ request }, end) {
  const millis = [];
  while (request !== undefined && machineMillis() < end) {
    const sentAt = performance.now();
    await request();
    millis.push(performance.now() - sentAt);
    await pause(REQUEST_EVERY_MS);
  }
  return millis;
}

/** As fast as the readers get them. */
async function publishBatches(target, items) {
  await Promise.all([target.readers.reset(), target.ask('reset')]);
  for (let sent = 0; sent < items; ) {
    const count = Math.min(BATCH, items - sent);
    await target.publish(count);
    sent += count;
    await target.readers.until(sent);
  }
}
