import { setTimeout as pause } from 'node:timers/promises';
import { fromEpochMillis, plus } from '../dist/src/domain/moment.js';
import { samplePublication } from '../dist/test/support/sample/sample-feed.js';
import { untilVisible } from './fleet-traffic.mjs';
import { operate, publish } from './internal-calls.mjs';

/** Every tenth publication is watched, because the requests that wait for it are work for the instances. */
const WATCHED = 10;
/** Beyond this number of unfinished changes, the machine is too slow for the rate, and further changes are left out. */
const OPEN_MAX = 50;

/**
 * Publishes `rate` new items a second for `seconds` through the first instance, one in each request. Returns the number of
 * publications, the times until the watched ones were visible on every instance, and the number of requests for that.
 */
export async function publishSteadily({ instances, rate, seconds, watchKey }) {
  const [publisher] = instances;
  return steadily(rate, seconds, async (n) => {
    const since = performance.now();
    const at = plus(fromEpochMillis(Date.now()), n);
    const { news_event, ...others } = samplePublication(n, at);
    const item = { ...others, news_event: { ...news_event, id: `new_${n}` } };
    const published = untilAccepted(() => publish(publisher, JSON.stringify(item)));
    if (n % WATCHED !== 0) return published.then(() => null);
    // One publisher in ascending order: when the head has this time, the item is visible.
    const isVisible = ({ field }) => (field('feed-head') ?? '') >= at;
    const [watched] = await Promise.all([untilVisible(instances, watchKey, since, isVisible), published]);
    return watched;
  });
}

/**
 * Revokes `rate` keys a second for `seconds`, through the instances in turn. Returns the number of revocations, the times
 * until every instance refused the key, and the number of requests for that.
 */
export async function revokeSteadily({ instances, rate, seconds, keys }) {
  return steadily(rate, seconds, async (n) => {
    const key = keys[n];
    const since = performance.now();
    const instance = instances[n % instances.length];
    const revoked = untilAccepted(() => operate(instance, `/keys/${key.id}/revoke`, { cause: 'manual' }));
    const [watched] = await Promise.all([
      untilVisible(instances, key, since, ({ status }) => status === 401),
      revoked,
    ]);
    return watched;
  });
}

/** A busy machine can cause 503: the change is repeated, and its time includes all attempts. */
async function untilAccepted(change) {
  for (;;) {
    try {
      return await change();
    } catch (fault) {
      if (!/ returned 503:/.test(fault.message)) throw fault;
    }
  }
}

/** Starts `change(n)` at a steady rate. `change` returns what `untilVisible` returned, or null if it was not watched. */
async function steadily(rate, seconds, change) {
  const began = performance.now();
  const changes = [];
  let open = 0;
  let leftOut = 0;
  for (let n = 0; n < Math.round(rate * seconds); n += 1) {
    await pause(Math.max(0, began + (n * 1_000) / rate - performance.now()));
    if (open >= OPEN_MAX) {
      leftOut += 1;
      continue;
    }
    open += 1;
    const changing = change(n).finally(() => {
      open -= 1;
    });
    changing.catch(() => {}); // The rejection is handled where all of them are awaited.
    changes.push(changing);
  }
  const watched = (await Promise.all(changes)).filter((one) => one !== null);
  return {
    count: changes.length,
    leftOut,
    millis: watched.map(({ millis }) => millis),
    requests: watched.reduce((sum, { requests }) => sum + requests, 0),
  };
}
