/**
 * Overload control by measured delay (D76).
 *
 * Pages come from memory: a request is answered at once when it is read, and no count of requests in progress grows. The
 * queue of an overloaded process is in the kernel: what has arrived and was not read. It is read in *iterations* of the event
 * loop, each of which reads once from every connection with input. So a request waits in that queue as long as an iteration
 * takes, and a bound on the iteration bounds the delay.
 *
 * What is read after the budget of an iteration is used up is refused at once. Each priority has a budget. A small one applies
 * while its queue stands: no iteration of the last 100 ms was shorter than the budget. Otherwise the budget is generous, because
 * a burst or a pause ends by itself. This is the controlled delay of "Fail at Scale" (Maurer, ACM Queue 2015), which applies CoDel
 * (RFC 8289) to requests. Each iteration decides by itself, so nothing oscillates.
 *
 * A refusal is not free: reading a request and writing 503 takes 0.3 of a page. So some connections that were refused
 * are not read again before their `Retry-After` is over, or overload has ended. What their clients send earlier stays in the
 * kernel at no cost.
 */

/** In the order in which overload refuses, the first first. Operators and health checks have a listener without it. */
export const REQUEST_PRIORITIES = [
  'stranger',
  'unproven',
  'limited',
  'session',
  'stream',
  'customer',
] as const;

/**
 * - `stranger`: no key; also documents.
 * - `unproven`: a key with which this process admitted no request yet.
 * - `limited`: a request with a key whose last request was over a limit (429).
 * - `session`: sign-in, dashboard, console, and events of the payment processor, who repeats them.
 * - `stream`: a new stream or batch with a key, unproven or not.
 * - `customer`: any other request with a key that was admitted before.
 */
export type RequestPriority = (typeof REQUEST_PRIORITIES)[number];

/** What each priority may use of an iteration while its queue stands, in milliseconds. */
const SHARES_MS: Readonly<Record<RequestPriority, number>> = {
  stranger: 2,
  unproven: 5,
  limited: 10,
  session: 15,
  stream: 25,
  customer: 25,
};

/** So many requests of each iteration are served whatever they are: fewer are no queue, however slow the machine is. */
export const ALWAYS_SERVED = 50;

/** A queue that was not empty for this long stands. */
const STANDING_MS = 100;

/** What all priorities may use of an iteration while their queue does not stand, in milliseconds. */
const BURST_MS = 500;

/** A time for each priority, in milliseconds of a monotonic clock. */
export type PriorityTimes = Record<RequestPriority, number>;

export const timesAt = (at: number): PriorityTimes => ({
  stranger: at,
  unproven: at,
  limited: at,
  session: at,
  stream: at,
  customer: at,
});

/**
 * What one iteration adds at most to the time in which the queue was not empty, in milliseconds. So a queue stands after three
 * long iterations, and never because of one pause.
 */
const COUNTED_MS = 45;

/** How long an iteration took, in milliseconds: in all, and for the requests of customers. */
export type IterationTimes = { readonly ms: number; readonly customersMs: number };

/**
 * When the queue of each priority was last empty, after an iteration that ended at `endedAt`. That of customers is judged by
 * their own time: it does not stand because of others.
 */
export function emptyTimesAfter(
  before: Readonly<PriorityTimes>,
  { ms, customersMs }: IterationTimes,
  endedAt: number,
): Readonly<PriorityTimes> {
  const after = (priority: RequestPriority) => {
    const usedMs = priority === 'customer' ? customersMs : ms;
    return usedMs < SHARES_MS[priority] ? endedAt : before[priority] + Math.max(0, ms - COUNTED_MS);
  };
  return {
    stranger: after('stranger'),
    unproven: after('unproven'),
    limited: after('limited'),
    session: after('session'),
    stream: after('stream'),
    customer: after('customer'),
  };
}

export type Iteration = {
  /** The begin of the iteration, by the clock of `emptyTimes`. */
  readonly began: number;
  /** When the queue of each priority was last empty. */
  readonly emptyTimes: Readonly<PriorityTimes>;
};

export const isStanding = (priority: RequestPriority, { began, emptyTimes }: Iteration): boolean =>
  began - emptyTimes[priority] > STANDING_MS;

/** What an iteration has done until a request was read, after those that are always served. */
export type IterationProgress = {
  /** The priority of that request. */
  readonly priority: RequestPriority;
  /** The number of requests of customers, with that one. */
  readonly customers: number;
  /** The time since the iteration began, in milliseconds. */
  readonly usedMs: number;
  /** How much of it was spent on requests of others than customers, and on those that are always served. */
  readonly othersMs: number;
};

export const ITERATION_BEGINS: IterationProgress = {
  priority: 'stranger',
  customers: 0,
  usedMs: 0,
  othersMs: 0,
};

/** The progress when the next request is read. */
export const progressed = (
  before: IterationProgress,
  priority: RequestPriority,
  usedMs: number,
): IterationProgress => ({
  priority,
  customers: before.customers + (priority === 'customer' ? 1 : 0),
  usedMs,
  othersMs: before.priority === 'customer' ? before.othersMs : before.othersMs + usedMs - before.usedMs,
});

/** The times of an iteration that ends now, `ms` after its begin. */
export const timesOf = (progress: IterationProgress, ms: number): IterationTimes => ({
  ms,
  customersMs: ms - progressed(progress, 'stranger', ms).othersMs,
});

/**
 * Whether the request that was just read is served. Customers do not pay for the time that others used, and a few of them are
 * no queue. New streams and batches are never refused here: they wait in a queue of their own, and have a limit of their own
 * (D58).
 */
export function isServed(
  { priority, customers, usedMs, othersMs }: IterationProgress,
  iteration: Iteration,
): boolean {
  if (priority === 'stream') return true;
  if (priority === 'customer' && customers <= ALWAYS_SERVED) return true;
  const countedMs = priority === 'customer' ? usedMs - othersMs : usedMs;
  if (countedMs <= SHARES_MS[priority]) return true;
  return !isStanding(priority, iteration) && countedMs <= BURST_MS;
}

/** For so long after a refusal, requests of its priority are refused that were sent too early. */
const OVERLOAD_MS = 3_000;

/** Whether a request is served that was sent too early. Its client did not wait, and others of its priority are refused. */
export const isEarlyServed = (refusedAt: number, { began }: Iteration): boolean =>
  began - refusedAt > OVERLOAD_MS;

/** So many refusals in an iteration are cheap. */
const CHEAP_REFUSALS = 200;

/**
 * Whether a connection is left unread after a refusal, until about its `Retry-After`. `refused` is the number of refusals in the
 * iteration. Connections of customers always are. Those of others are if there are very many: a few would be replaced by new
 * connections, and new connections of customers would wait behind these.
 */
export const isLeftUnread = (priority: RequestPriority, refused: number): boolean =>
  priority === 'customer' || refused > CHEAP_REFUSALS;

/** `Retry-After` of refused requests, in seconds. Spread, so that those who were refused together do not return together. */
export const RETRY_SECONDS = [1, 2, 3] as const;
export type RetrySeconds = (typeof RETRY_SECONDS)[number];

/** `random` is at least 0 and below 1. */
export const retrySeconds = (random: number): RetrySeconds =>
  RETRY_SECONDS[Math.floor(random * RETRY_SECONDS.length)] ?? 1;
