import {
  ALWAYS_SERVED,
  emptyTimesAfter,
  ITERATION_BEGINS,
  type Iteration,
  isEarlyServed,
  isLeftUnread,
  isServed,
  progressed,
  REQUEST_PRIORITIES,
  type RequestPriority,
  retrySeconds,
  timesAt,
  timesOf,
} from '../../../src/domain/limits/iteration-budget.js';

/** Requests that arrive at a fixed rate, whatever the answers are: `load` is a share of what the process can serve. */
export type Offer = {
  readonly priority: RequestPriority;
  readonly load: number;
  readonly connections: number;
};

/** What was seen of one priority: `goodput` is a share of what the process can serve. */
type Seen = { readonly goodput: number; readonly p99Ms: number; readonly refused: number };

type Options = {
  readonly served?: typeof isServed;
  /** The process stands still for so long, each second. */
  readonly pauseMs?: number;
};

/** What a page and a refusal take; measured (`npm run bench:overload`). */
const PAGE_MS = 0.1;
const REFUSAL_MS = 0.03;
const LASTS_MS = 4_000;
/** What happens before counts as the way to a steady state. */
const COUNTED_FROM_MS = 1_000;
/** An iteration in which nothing is ready takes this long. */
const IDLE_MS = 0.2;

type Connection = { readonly offer: number; arrivedAt: number; unreadUntil: number; isWaiting: boolean };

export const unlimited: typeof isServed = () => true;

/** A stable sequence of numbers from 0 to 1. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/**
 * Simulates the iterations of an event loop: each reads once from every connection with input that is not left unread. A client
 * uses an idle connection, the last one that became idle first; without one, its request is not sent. The delay of a request
 * that was sent before its `Retry-After` was over counts from there.
 */
export function simulateIterations(
  offers: readonly Offer[],
  { served = isServed, pauseMs = 0 }: Options = {},
): Readonly<Record<RequestPriority, Seen>> {
  const random = randomNumbers();
  const idle = offers.map(({ connections }, offer) =>
    Array.from(
      { length: connections },
      (): Connection => ({ offer, arrivedAt: 0, unreadUntil: 0, isWaiting: false }),
    ),
  );
  const nextAt = offers.map(() => 0);
  const delays = offers.map((): number[] => []);
  const refusals = offers.map(() => 0);
  const refusedAt = timesAt(Number.NEGATIVE_INFINITY);
  let waiting: Connection[] = [];
  let now = 0;
  let paused = 0;
  let iteration: Iteration = { began: 0, emptyTimes: timesAt(0) };

  const arrive = () => {
    for (const [offer, { load }] of offers.entries()) {
      let next = nextAt[offer] ?? 0;
      while (next <= now) {
        const connection = idle[offer]?.pop();
        const arrivedAt = next;
        next += (PAGE_MS / load) * -Math.log(random() + 1e-12);
        if (connection === undefined) continue;
        connection.arrivedAt = arrivedAt;
        waiting.push(connection);
      }
      nextAt[offer] = next;
    }
  };

  while (now < LASTS_MS) {
    if (Math.floor(now / 1_000) > paused) {
      paused += 1;
      now += pauseMs;
    }
    arrive();
    const ready = waiting.filter(({ unreadUntil }) => unreadUntil <= now);
    waiting = waiting.filter(({ unreadUntil }) => unreadUntil > now);
    if (ready.length === 0) {
      now += IDLE_MS;
      iteration = { began: now, emptyTimes: timesAt(now) };
      continue;
    }
    iteration = { ...iteration, began: now };
    let progress = ITERATION_BEGINS;
    let refused = 0;
    for (const [at, connection] of ready.entries()) {
      const priority = offers[connection.offer]?.priority ?? 'stranger';
      const usedMs = now - iteration.began;
      const isFirst = at < ALWAYS_SERVED;
      if (!isFirst) progress = progressed(progress, priority, usedMs);
      const isEarly = connection.unreadUntil > connection.arrivedAt;
      const isEarlyRefused = isEarly && !isEarlyServed(refusedAt[priority], iteration);
      const isRead = !isEarlyRefused && (isFirst || served(progress, iteration));
      if (!isRead && !isEarlyRefused) refusedAt[priority] = iteration.began;
      now += isRead ? PAGE_MS : REFUSAL_MS;
      if (isRead && now > COUNTED_FROM_MS)
        delays[connection.offer]?.push(now - Math.max(connection.arrivedAt, connection.unreadUntil));
      if (!isRead) {
        refusals[connection.offer] = (refusals[connection.offer] ?? 0) + 1;
        refused += 1;
        if (isLeftUnread(priority, refused)) connection.unreadUntil = now + retrySeconds(random()) * 1_000;
      }
      idle[connection.offer]?.push(connection);
    }
    iteration = {
      ...iteration,
      emptyTimes: emptyTimesAfter(iteration.emptyTimes, timesOf(progress, now - iteration.began), now),
    };
  }

  const seen = (priority: RequestPriority): Seen => {
    const offer = offers.findIndex((each) => each.priority === priority);
    const sorted = (delays[offer] ?? []).toSorted((a, b) => a - b);
    return {
      goodput: (sorted.length * PAGE_MS) / (now - COUNTED_FROM_MS),
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      refused: refusals[offer] ?? 0,
    };
  };
  return Object.fromEntries(REQUEST_PRIORITIES.map((each) => [each, seen(each)])) as Record<
    RequestPriority,
    Seen
  >;
}
