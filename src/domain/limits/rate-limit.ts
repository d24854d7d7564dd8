import type { Plan } from '../billing/plan.js';
import type { KeyId } from '../keys/api-key.js';
import type { OwnLimits } from '../keys/key-controls.js';
import { epochSeconds, type Moment } from '../moment.js';
import type { Refusal } from '../refusal.js';

/** At most `quota` requests in each window of `seconds`. The headers show the name (D33). */
export type Policy = { readonly name: string; readonly quota: number; readonly seconds: number };

/** For requests without a valid key, counted by client address (D33). */
export const anonymousPolicy = (perMinute: number): Policy => ({
  name: 'anonymous',
  quota: perMinute,
  seconds: 60,
});

export const policiesOf = ({ requestsPerMinute, requestsPerDay }: Plan): readonly Policy[] => [
  { name: 'minute', quota: requestsPerMinute, seconds: 60 },
  { name: 'day', quota: requestsPerDay, seconds: 86_400 },
];

/** The limits that the owner has set for one key (D72). */
const ownPoliciesOf = ({ perMinute, perDay }: OwnLimits): readonly Policy[] => [
  ...(perMinute === null ? [] : [{ name: 'key_minute', quota: perMinute, seconds: 60 }]),
  ...(perDay === null ? [] : [{ name: 'key_day', quota: perDay, seconds: 86_400 }]),
];

const OWN_LIMIT = /^key_/;

/** Whether a limit of the plan refused a request, and not only one that the owner of the key has set below it. */
export const isOverPlan = ({ violated }: Refusal<'rate_limited'>): boolean =>
  violated.some((name) => !OWN_LIMIT.test(name));

/** The names of limits that end with the day. */
export const DAILY_LIMITS: readonly string[] = ['day', 'key_day'];

/** The window of a policy that contains a moment. Windows are fixed and aligned to 1970 (D34). */
export type Window = {
  readonly counter: string;
  readonly policy: Policy;
  /** In whole seconds since 1970. */
  readonly endsAt: number;
  /** Seconds until it ends, rounded up; at least 1. */
  readonly secondsLeft: number;
};

/** The windows of a subject that contain a moment. */
export const windows = (subject: string, policies: readonly Policy[], now: Moment): readonly Window[] => {
  const second = epochSeconds(now);
  return policies.map((policy) => {
    const number = Math.floor(second / policy.seconds);
    const endsAt = (number + 1) * policy.seconds;
    return { counter: counterName(subject, policy, number), policy, endsAt, secondsLeft: endsAt - second };
  });
};

/** The windows of the limits of one key. Their counters are on the node of those of its subscription, which are counted with them. */
export const ownWindows = (
  subscription: string,
  key: KeyId,
  own: OwnLimits,
  now: Moment,
): readonly Window[] =>
  windows(subscription, ownPoliciesOf(own), now).map((window) => ({
    ...window,
    counter: `${window.counter}:${key}`,
  }));

/**
 * The braces keep the counters of one subject on one node of a Redis cluster. `join` makes one flat string: a template refers to
 * its parts, and an address would keep the whole header from which it was cut for as long as the counter is stored.
 */
const counterName = (subject: string, { name }: Policy, number: number): string =>
  ['{', subject, '}:', name, ':', number].join('');

/** A counter outlives its window, so that an instance whose clock is behind cannot restart it (D34). */
const CLOCK_SLACK_SECONDS = 120;

/** The usage of a window (D104): that of all keys of the account of `key`, from `since` on, in seconds since 1970. */
export type RecordedUsage = { readonly key: KeyId; readonly since: number };

/** A permit of one counter: the name of the counter, its capacity (the quota) and its lifetime in seconds. */
export type Permit = {
  readonly counter: string;
  readonly capacity: number;
  readonly lifetimeSeconds: number;
  /** The usage from which a lost count is restored (D35); null or absent if there is none. */
  readonly recorded?: RecordedUsage | null;
};

export const permitOf = ({ counter, policy, secondsLeft }: Window): Permit => ({
  counter,
  capacity: policy.quota,
  lifetimeSeconds: secondsLeft + CLOCK_SLACK_SECONDS,
});

/** Whether two lists of permits name the same counters in the same order, with the same capacities. */
export const haveSameLimits = (some: readonly Permit[], others: readonly Permit[]): boolean =>
  some.length === others.length &&
  some.every(
    ({ counter, capacity }, i) => counter === others[i]?.counter && capacity === others[i]?.capacity,
  );

/** The usage of one policy, as the headers of every response show it (D33). */
export type Limit = Omit<Window, 'counter'> & { readonly remaining: number };

export const limitsOf = (open: readonly Window[], counts: readonly number[]): readonly Limit[] =>
  open.map(({ policy, endsAt, secondsLeft }, i) => ({
    policy,
    endsAt,
    secondsLeft,
    remaining: Math.max(0, policy.quota - (counts[i] ?? 0)),
  }));

/** The limit with the fewest remaining requests. If several have the same number, the one whose window ends last. */
export const tightest = (limits: readonly Limit[]): Limit | undefined =>
  limits.reduce<Limit | undefined>(
    (tightestYet, limit) =>
      tightestYet === undefined || isTighter(limit, tightestYet) ? limit : tightestYet,
    undefined,
  );

const isTighter = (limit: Limit, other: Limit): boolean =>
  limit.remaining < other.remaining || (limit.remaining === other.remaining && limit.endsAt > other.endsAt);

export const exhausted = (limits: readonly Limit[]): readonly Limit[] =>
  limits.filter(({ remaining }) => remaining === 0);

/** Whole seconds until every exhausted window has ended; at least 1 (D33). */
export const retryAfterSeconds = (limits: readonly Limit[]): number =>
  Math.max(1, ...exhausted(limits).map(({ secondsLeft }) => secondsLeft));

/**
 * Step 5 of the gateway (contract section 5.5): why a request is refused that needs `needed` permits and got `granted`;
 * null if it is admitted. A request that needs no permit is admitted even when the quota is exhausted.
 */
export const whyOverLimit = (
  limits: readonly Limit[],
  granted: number,
  needed: 0 | 1,
): Refusal<'rate_limited'> | null => (granted < needed ? rateLimited(limits) : null);

/** The refusal of a request that got no permit (step 5 of the gateway). */
export const rateLimited = (limits: readonly Limit[]): Refusal<'rate_limited'> => ({
  refused: 'rate_limited',
  violated: exhausted(limits).map(({ policy }) => policy.name),
  retryAfterSeconds: retryAfterSeconds(limits),
});

/** The limits after the permits of a request that costs nothing are given back (D34). */
export const limitsAfterRefund = (limits: readonly Limit[]): readonly Limit[] =>
  limits.map((limit) => ({ ...limit, remaining: Math.min(limit.policy.quota, limit.remaining + 1) }));
