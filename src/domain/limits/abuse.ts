import type { Account, AuditContext, Change } from '../accounts/account.js';
import { applyToSubscription } from '../billing/account-subscription.js';
import type { Subscription, SubscriptionId } from '../billing/subscription.js';
import { causesOf, type KeyId } from '../keys/api-key.js';
import { epochSeconds, type Moment } from '../moment.js';

/** When the use of a subscription counts as abuse (contract section 3.1). */
export type AbuseRules = {
  /** The most client networks (/24, /48) that may use one key. A higher number means that the key is shared. */
  readonly networksMax: number;
  /** The number of refused requests that is not abuse yet, as a multiple of the requests a minute of the plan. */
  readonly refusedMinutes: number;
  /** Up to this number, refused requests are not abuse on any plan, because a busy client must not get 402. */
  readonly refusedLeast: number;
};

export const ABUSE_RULES: AbuseRules = { networksMax: 100, refusedMinutes: 20, refusedLeast: 5_000 };

/** Minutes over which use is monitored, including the current one. */
const MONITORED_MINUTES = 10;

/**
 * One counter for each minute. When monitoring restarts, the counters get new names, so that older counts do not apply.
 */
export type MonitoredWindow = { readonly counters: readonly string[]; readonly lifetimeSeconds: number };

/** The counters of the monitored minutes, the current one first. */
function monitoredWindow(subject: string, since: Moment, now: Moment): MonitoredWindow {
  const minute = Math.floor(epochSeconds(now) / 60);
  const first = Math.max(minute - MONITORED_MINUTES + 1, Math.floor(epochSeconds(since) / 60));
  // The braces keep the counters of one subject on one node of a Redis cluster.
  const name = (at: number) => `{watch:${subject}:${since}}:${at}`;
  return {
    counters: Array.from({ length: Math.max(1, minute - first + 1) }, (_, i) => name(minute - i)),
    lifetimeSeconds: (MONITORED_MINUTES + 2) * 60,
  };
}

export const networksOf = (key: KeyId, { monitoring }: Subscription, now: Moment): MonitoredWindow =>
  monitoredWindow(`networks:${key}`, monitoring.since, now);

export const refusalsOf = (id: SubscriptionId, { monitoring }: Subscription, now: Moment): MonitoredWindow =>
  monitoredWindow(`refusals:${id}`, monitoring.since, now);

/** The reason why this number of networks is abuse; null if it is not. */
export const tooManyNetworks = (count: number, { networksMax }: AbuseRules): string | null =>
  count > networksMax ? `more than ${networksMax} client networks with one key within 10 minutes` : null;

/** The reason why this number of refusals is abuse; null if it is not. */
export function tooManyRefusals(count: number, requestsPerMinute: number, rules: AbuseRules): string | null {
  const limit = Math.max(rules.refusedLeast, rules.refusedMinutes * requestsPerMinute);
  return count > limit ? `more than ${limit} requests refused with 429 within 10 minutes` : null;
}

/**
 * Suspends the subscription for abuse (contract section 3.1). Changes nothing if it is already suspended for abuse, if
 * monitoring is off, or if monitoring restarted after the signals were counted.
 */
export function flagAbuse(account: Account, monitoredSince: Moment, context: AuditContext): Change {
  const { monitoring, suspension } = account.subscription;
  const isObsolete =
    !monitoring.isOn || monitoring.since !== monitoredSince || causesOf(suspension).includes('abuse');
  return isObsolete
    ? { next: account, entries: [] }
    : applyToSubscription(account, 'abuse_detected', context);
}

/** Turns abuse detection off, or on again. Only use after `context.at` counts. */
export function setMonitoring(account: Account, isOn: boolean, context: AuditContext): Change {
  const subscription = { ...account.subscription, monitoring: { isOn, since: context.at } };
  return {
    next: { ...account, subscription },
    entries: [{ ...context, event: 'abuse_detection_changed', key: null }],
  };
}
