import { readFileSync } from 'node:fs';
import { load } from './load.mjs';

export const CONNECTIONS = 32;
const TICKS_PER_SECOND = 100;

/**
 * Measures all contestants on one row of `cases.mjs`, `rounds` times, each time in another order. Returns the medians in the
 * order of the contestants: requests per second, latencies in ms, CPU seconds for 1 000 requests, and peak memory in MB.
 * Null for a contestant that cannot serve the row.
 */
export async function measure(row, contestants, { rounds, seconds, loadOne = load }) {
  const results = contestants.map(() => []);
  const requests = await Promise.all(contestants.map((contestant) => requestsOf(row, contestant)));
  for (let round = 0; round < rounds; round += 1) {
    for (const n of orderOf(round, contestants.length)) {
      if (requests[n] === null) continue;
      // wrk repeats one request.
      const ask = requests[n].length === 1 ? loadOne : load;
      results[n].push(
        await measureOnce(contestants[n], requests[n], row.isUnchanged ? 304 : 200, seconds, ask),
      );
    }
  }
  return results.map((list) => (list.length === 0 ? null : medians(list)));
}

/**
 * Starts the contestants, measures all rows and stops them, `starts` times, because a process can be several percent faster
 * or slower than the next one of the same code, for its whole life. Returns, for each row, the medians of each contestant.
 */
export async function measureStarts({ starts, start, rows, timing }) {
  const ofRows = rows.map(() => []);
  for (let number = 0; number < starts; number += 1) {
    const contestants = await start();
    for (const [n, row] of rows.entries()) ofRows[n].push(await measure(row, contestants, timing));
    await Promise.all(contestants.map(({ stop }) => stop()));
  }
  return ofRows.map((results) => results[0].map((_, n) => medians(results.map((ofStart) => ofStart[n]))));
}

/** The order of a round. Each contestant is first equally often, and before each other contestant equally often. */
function orderOf(round, count) {
  const order = Array.from({ length: count }, (_, n) => (n + round) % count);
  return Math.floor(round / count) % 2 === 0 ? order : order.reverse();
}

/** Null if the row needs an ETag and the contestant sends none. */
async function requestsOf({ path, headers, keys, isUnchanged }, contestant) {
  const tag = isUnchanged ? await contestant.tagOf(path) : null;
  if (isUnchanged && tag === null) return null;
  const all = { ...headers, ...(tag !== null && { 'If-None-Match': tag }) };
  return contestant.keys.slice(0, keys).map((key) => ({ path, headers: { 'X-API-Key': key, ...all } }));
}

async function measureOnce({ url, pid }, requests, status, seconds, ask) {
  const before = cpuSeconds(pid);
  const answered = await ask({ url, requests, connections: CONNECTIONS, seconds, status });
  const cpu = ((cpuSeconds(pid) - before) / answered.requests) * 1_000;
  return { rate: answered.rate, p50: answered.p50, p99: answered.p99, cpu, memory: peakMb(pid) };
}

/** The median of each figure of several results. */
function medians(list) {
  return Object.fromEntries(
    Object.keys(list[0]).map((figure) => [figure, median(list.map((one) => one[figure]))]),
  );
}

export function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The CPU seconds of the whole machine since its start. */
export function machineCpuSeconds() {
  const [, user, nice, system, , , irq, softIrq] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 8);
  return [user, nice, system, irq, softIrq].reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

function peakMb(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;
}
