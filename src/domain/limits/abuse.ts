import type { Account, AuditContext, Change } from '../accounts/account.js';
import { applyToSubscription } from '../billing/account-subscription.js';
import type { Subscription, SubscriptionId } from '../billing/subscription.js';
import { causesOf, type KeyId } from '../keys/api-key.js';
import { epochSeconds, type Moment } from '../moment.js';

/** What of a subscription's use is no longer use (contract section 3.1). */
export type AbuseRules = {
  /** Client networks (/24, /48) seen with one key: more of them, and it was passed around. */
  readonly networksMax: number;
  /** Requests refused over the limit, in multiples of the plan's minute: more, and the limit is being fought. */
  readonly refusedMinutes: number;
  /** So many refusals are never abuse: a limiter must not turn a busy payer into a 402. */
  readonly refusedLeast: number;
};

export const ABUSE_RULES: AbuseRules = { networksMax: 100, refusedMinutes: 20, refusedLeast: 5_000 };

/** Use is looked at over so many minutes, the present one among them. */
const WATCHED_MINUTES = 10;

/** Something counted for each minute, by a name that is new once its subscription is watched anew. */
export type MonitoredWindow = { readonly counters: readonly string[]; readonly lifetimeSeconds: number };

/** The counters of the minutes that are looked at, the present one first. */
function monitoredWindow(subject: string, since: Moment, now: Moment): MonitoredWindow {
  const minute = Math.floor(epochSeconds(now) / 60);
  const first = Math.max(minute - WATCHED_MINUTES + 1, Math.floor(epochSeconds(since) / 60));
  // The braces keep the counters of one subject on one node of a Redis cluster.
  const name = (at: number) => `{watch:${subject}:${since}}:${at}`;
  return {
    counters: Array.from({ length: Math.max(1, minute - first + 1) }, (_, i) => name(minute - i)),
    lifetimeSeconds: (WATCHED_MINUTES + 2) * 60,
  };
}

export const networksOf = (key: KeyId, { monitoring }: Subscription, now: Moment): MonitoredWindow =>
  monitoredWindow(`networks:${key}`, monitoring.since, now);

export const refusalsOf = (id: SubscriptionId, { monitoring }: Subscription, now: Moment): MonitoredWindow =>
  monitoredWindow(`refusals:${id}`, monitoring.since, now);

/** Why so many networks are abuse, in words; null where they are not. */
export const tooManyNetworks = (count: number, { networksMax }: AbuseRules): string | null =>
  count > networksMax ? `more than ${networksMax} client networks with one key within 10 minutes` : null;

/** Why so many refusals are abuse, in words; null where they are not. */
export function tooManyRefusals(count: number, requestsPerMinute: number, rules: AbuseRules): string | null {
  const most = Math.max(rules.refusedLeast, rules.refusedMinutes * requestsPerMinute);
  return count > most ? `more than ${most} requests over the limit within 10 minutes` : null;
}

/** A trip, unless there is one, it was lifted since it was counted, or nobody is to look (contract section 3.1). */
export function flagAbuse(account: Account, monitoredSince: Moment, context: AuditContext): Change {
  const { monitoring, suspension } = account.subscription;
  const isOver =
    !monitoring.isOn || monitoring.since !== monitoredSince || causesOf(suspension).includes('abuse');
  return isOver ? { next: account, entries: [] } : applyToSubscription(account, 'abuse_detected', context);
}

/** Turns the detection of abuse off for who runs many addresses, or on again: then from now on. */
export function setMonitoring(account: Account, isOn: boolean, context: AuditContext): Change {
  const subscription = { ...account.subscription, monitoring: { isOn, since: context.at } };
  return {
    next: { ...account, subscription },
    entries: [{ ...context, event: 'abuse_detection_changed', key: null }],
  };
}
