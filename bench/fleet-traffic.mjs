import { setTimeout as pause } from 'node:timers/promises';

const NEWEST = '/pm/v2/news?limit=1';
const CALLERS_PER_INSTANCE = 8;
const TICK_MS = 10;
/** Beyond this number of open requests, the machine is too slow for the rate, and further requests are left out. */
const OPEN_MAX = 400;
/**
 * The interval of the requests that wait for a change to be visible, and therefore the resolution of its time: 5 ms, or a
 * tenth of the time waited so far, so that slow changes do not cause more and more requests.
 */
const WATCH_EVERY_MS = 5;
const WATCH_EVERY_SHARE = 0.1;

/** Requests the newest page with every key from every instance once, so that each instance has a copy of each key. */
export async function useEveryKey(instances, keys, report) {
  let sent = 0;
  const all = instances.length * keys.length;
  const callers = instances.flatMap(({ connections }) => {
    let next = 0;
    return Array.from({ length: CALLERS_PER_INSTANCE }, async () => {
      for (let n = next++; n < keys.length; n = next++) {
        await useKey(connections, keys[n]);
        sent += 1;
        if (sent % Math.ceil(all / 4) === 0) report(sent / all);
      }
    });
  });
  await Promise.all(callers);
}

/** A busy machine can cause 503: the request is repeated. */
async function useKey(connections, { value }) {
  for (;;) {
    const { status } = await connections.get(NEWEST, { 'X-API-Key': value, 'Accept-Encoding': 'gzip' });
    if (status === 200) return;
    if (status !== 503) throw new Error(`an instance returned ${status} for a new key`);
  }
}

/**
 * Sends `rate` requests a second until `signal`, whether or not earlier ones are answered, each with the `ETag` of the last
 * response for its path from its instance. Every second request is for the newest page, which changes with each
 * publication; the others are for one item that does not change. Each instance gets all keys in turn, from another key on.
 */
export async function poll({ instances, keys, rate, unchangedId, signal }) {
  const figures = { requests: 0, unchanged: 0, unavailable: 0, leftOut: 0, millis: [] };
  const paths = [NEWEST, `/pm/v2/news?news_id=${unchangedId}`];
  const open = new Set();
  const tags = instances.map(() => new Map());
  const faults = [];
  const send = async (n) => {
    const i = n % instances.length;
    const round = Math.floor(n / instances.length);
    const { value } = keys[(round + Math.floor((i * keys.length) / instances.length)) % keys.length];
    const path = paths[round % paths.length];
    const tag = tags[i].get(path);
    const headers = {
      'X-API-Key': value,
      'Accept-Encoding': 'gzip',
      ...(tag !== undefined && { 'If-None-Match': tag }),
    };
    const at = performance.now();
    const { status, field } = await instances[i].connections.get(path, headers);
    if (status === 401) throw new Error('an instance refused an active key');
    figures.millis.push(performance.now() - at);
    figures.requests += 1;
    if (status === 304) figures.unchanged += 1;
    if (status === 503) figures.unavailable += 1;
    else tags[i].set(path, field('etag'));
  };
  const began = performance.now();
  for (let n = 0; !signal.aborted && faults.length === 0; await pause(TICK_MS)) {
    for (; n < ((performance.now() - began) / 1_000) * rate; n += 1) {
      if (open.size >= OPEN_MAX) figures.leftOut += 1;
      else {
        const sent = send(n)
          .catch((fault) => faults.push(fault))
          .finally(() => open.delete(sent));
        open.add(sent);
      }
    }
  }
  await Promise.all(open);
  if (faults.length > 0) throw faults[0];
  return figures;
}

/**
 * Requests the newest page from every instance until `isVisible` accepts a response of each. Returns the milliseconds from
 * `since` until the last instance, and the number of requests.
 */
export async function untilVisible(instances, key, since, isVisible) {
  let requests = 0;
  const each = instances.map(async ({ connections }) => {
    for (;;) {
      requests += 1;
      const response = await connections.get(NEWEST, { 'X-API-Key': key.value, 'Accept-Encoding': 'gzip' });
      const waited = performance.now() - since;
      if (isVisible(response)) return waited;
      await pause(Math.max(WATCH_EVERY_MS, waited * WATCH_EVERY_SHARE));
    }
  });
  return { millis: Math.max(...(await Promise.all(each))), requests };
}
