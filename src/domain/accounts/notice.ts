import type { PlanName } from '../billing/plan.js';
import { admittedBySubscription, type SubscriptionState } from '../billing/subscription.js';
import type { DestinationKind } from '../destinations/destination.js';
import type { DisabledCause } from '../destinations/destination-state.js';
import { type ApiKey, areRevoked, causesOf, derivedState, type KeyId } from '../keys/api-key.js';
import { isLongUnused } from '../keys/overlap.js';
import type { SuspensionCause } from '../keys/suspension.js';
import { type Duration, MINUTE, type Moment } from '../moment.js';
import { isRefusal } from '../refusal.js';
import type { Account, AuditEntry, Change } from './account.js';
import { repeatedNotices } from './repeated-notice.js';

/** A key as a notice shows it: never its value. */
type KeySummary = { readonly prefix: string; readonly label: string | null };

type DestinationSummary = { readonly label: string; readonly kind: DestinationKind };

/** The content of a notice. */
export type NoticeContent =
  | {
      readonly kind: 'payment_failed';
      readonly invoice: string;
      readonly nextRetryAt: Moment | null;
      /** The time at which the keys stop working if the invoice is not paid. */
      readonly deadline: Moment;
    }
  | {
      readonly kind: 'suspended';
      readonly causes: readonly SuspensionCause[];
      readonly state: SubscriptionState;
      readonly keysAreRevoked?: true;
    }
  /** `keysAreRevoked`: all keys are revoked. Absent if a key works again, or if there are no keys. */
  | { readonly kind: 'restored'; readonly plan: PlanName; readonly keysAreRevoked?: true }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'key_issued' | 'key_rotated' | 'key_revoked' | 'key_restored'; readonly key: KeySummary }
  /** The successor of a rotated key was not used yet. */
  | { readonly kind: 'successor_unused'; readonly key: KeySummary; readonly issuedAt: Moment }
  | { readonly kind: 'key_retired'; readonly key: KeySummary; readonly worksUntil: Moment }
  /** The key expires in 7 days or less. */
  | { readonly kind: 'key_expiring'; readonly key: KeySummary; readonly expiresAt: Moment }
  | { readonly kind: 'key_expired'; readonly key: KeySummary }
  | {
      readonly kind: 'key_suspended';
      readonly key: KeySummary;
      readonly causes: readonly SuspensionCause[];
    }
  /** A destination has failed for an hour. */
  | { readonly kind: 'destination_failing'; readonly destination: DestinationSummary; readonly since: Moment }
  | {
      readonly kind: 'destination_disabled';
      readonly destination: DestinationSummary;
      readonly cause: DisabledCause;
      /** When the failures began. */
      readonly since: Moment;
    }
  /** A share of the quota of a day was used (D73). */
  | {
      readonly kind: 'quota_used';
      /** In percent. */
      readonly level: 80 | 100;
      readonly quota: number;
      readonly plan: PlanName;
      readonly resetsAt: Moment;
    }
  /** A person signed in through an identity provider for the first time. From now on this identity can sign in. */
  | { readonly kind: 'identity_joined'; readonly issuer: string };

export type Notice = {
  readonly to: string;
  /** The identity of the notice: an account gets one notice for each occasion, however often it is detected. */
  readonly occasion: string;
  readonly news: NoticeContent;
};

/** The notices of a change. `before` is null for an account that has just been opened. */
export function noticesOf(before: Account | null, change: Change): readonly Notice[] {
  const { next, entries } = change;
  const noticeOf = (occasion: string, news: NoticeContent): Notice => ({ to: next.email, occasion, news });
  return [
    ...paymentNews(before, next).map((news) =>
      noticeOf(`payment_failed/${news.invoice}/${retriesOf(next, news.invoice)}`, news),
    ),
    ...subscriptionNews(before, change).map((news) => noticeOf(`${news.kind}/${lastMoment(entries)}`, news)),
    ...entries.flatMap((entry) => {
      const news = keyNews(next, entry);
      const canRepeat = entry.event === 'held' || entry.event === 'released';
      return news === null
        ? []
        : [noticeOf(`${news.kind}/${entry.key}${canRepeat ? `/${entry.at}` : ''}`, news)];
    }),
    ...successorsFoundUnused(before, next).map((key) =>
      noticeOf(`successor_unused/${key.id}`, {
        kind: 'successor_unused',
        key: keySummary(key),
        issuedAt: key.issuedAt,
      }),
    ),
    ...remindedExpiries(before, next).map(({ key, expiresAt, remindAt }) =>
      noticeOf(`key_expiring/${key.id}/${expiresAt}/${remindAt}`, {
        kind: 'key_expiring',
        key: keySummary(key),
        expiresAt,
      }),
    ),
    ...joinedIssuers(change).map(({ issuer, at }) =>
      noticeOf(`identity_joined/${issuer}/${at}`, { kind: 'identity_joined', issuer }),
    ),
    ...repeatedNotices(next, entries).map(({ occasion, news }) => noticeOf(occasion, news)),
    ...keysLostByCancellation(before, next).map((key) =>
      noticeOf(`key_revoked/${key.id}`, { kind: 'key_revoked', key: keySummary(key) }),
    ),
  ];
}

const lastMoment = (entries: readonly AuditEntry[]): string => entries.at(-1)?.at ?? '';
const retriesOf = ({ dunning }: Account, invoice: string): number =>
  dunning.find(({ id }) => id === invoice)?.failedRetries ?? 0;
const keySummary = ({ prefix, label }: ApiKey): KeySummary => ({ prefix, label });
const keyIn = ({ keys }: Account, id: KeyId | null) => keys.find((key) => key.id === id);

/** A notice for each attempt that has just failed. None while the subscription is suspended for payment failure. */
function paymentNews(before: Account | null, next: Account) {
  if (causesOf(next.subscription.suspension).includes('payment_failure')) return [];
  return next.dunning
    .filter(({ id, failedRetries }) => {
      const known = before?.dunning.find((other) => other.id === id);
      return known === undefined || known.failedRetries < failedRetries;
    })
    .map(({ id, nextRetryAt, deadline }) => ({
      kind: 'payment_failed' as const,
      invoice: id,
      nextRetryAt,
      deadline,
    }));
}

function revokedFlagOf({ next, entries }: Change): { readonly keysAreRevoked?: true } {
  const at = entries.at(-1)?.at;
  return at !== undefined && areRevoked(next.keys, at) ? { keysAreRevoked: true } : {};
}

/** A notice that the subscription was suspended, got another cause, was restored, or was canceled. */
function subscriptionNews(before: Account | null, change: Change): readonly NoticeContent[] {
  if (before === null) return [];
  const { subscription } = change.next;
  const { state, suspension, plan } = subscription;
  const previous = before.subscription;
  if (state === 'canceled') return previous.state === 'canceled' ? [] : [{ kind: 'canceled' }];
  const causes = causesOf(suspension);
  const isRefused = isRefusal(admittedBySubscription(subscription));
  const isServed = causes.length === 0 && !isRefused;
  const wasServed =
    causesOf(previous.suspension).length === 0 && !isRefusal(admittedBySubscription(previous));
  if (isServed) return wasServed ? [] : [{ kind: 'restored', plan, ...revokedFlagOf(change) }];
  const isNew =
    causes.some((cause) => !causesOf(previous.suspension).includes(cause)) ||
    (isRefused && state !== previous.state);
  return isNew ? [{ kind: 'suspended', causes, state, ...revokedFlagOf(change) }] : [];
}

function keyNews(next: Account, { event, key: id }: AuditEntry): NoticeContent | null {
  const key = keyIn(next, id);
  if (key === undefined) return null;
  const summary = keySummary(key);
  const state = derivedState(key.state, next.subscription.suspension);
  switch (event) {
    case 'issued':
      return { kind: key.predecessor === null ? 'key_issued' : 'key_rotated', key: summary };
    case 'rotated':
      return state.status === 'revoked'
        ? { kind: 'key_retired', key: summary, worksUntil: state.worksUntil }
        : null;
    case 'revoked':
      return { kind: 'key_revoked', key: summary };
    case 'expired':
      return { kind: 'key_expired', key: summary };
    case 'held':
      return state.status === 'suspended'
        ? { kind: 'key_suspended', key: summary, causes: state.causes }
        : null;
    case 'released':
      return state.status === 'active' ? { kind: 'key_restored', key: summary } : null;
    default:
      return null;
  }
}

/** The successors that a check has just found unused for so long that their owner is reminded (D23). */
function successorsFoundUnused(before: Account | null, next: Account): readonly ApiKey[] {
  if (before === null) return [];
  return next.keys.filter((key) => {
    const known = keyIn(before, key.id);
    return known !== undefined && !isLongUnused(before.keys, known) && isLongUnused(next.keys, key);
  });
}

/** The keys of whose expiry this change reminds. If it has come meanwhile, another notice says so. */
function remindedExpiries(before: Account | null, next: Account) {
  if (before === null) return [];
  return next.keys.flatMap((key) => {
    const { expiresAt } = key.controls;
    const known = keyIn(before, key.id);
    const remindAt = known?.remindAt ?? null;
    const isSame = known?.controls.expiresAt === expiresAt && remindAt !== key.remindAt;
    return expiresAt === null || remindAt === null || !isSame || key.state.status === 'revoked'
      ? []
      : [{ key, expiresAt, remindAt }];
  });
}

/** The sign-in that opens an account causes no notice, because the account had no owner before. */
const joinedIssuers = ({ next, entries }: Change) =>
  entries.flatMap(({ event, reason, at }) =>
    event === 'identity_joined' && reason !== null && at > next.openedAt ? [{ issuer: reason, at }] : [],
  );

/** Keys that this change revoked because an older subscription ended, if the account has a newer subscription. */
function keysLostByCancellation(before: Account | null, next: Account): readonly ApiKey[] {
  if (before === null || next.subscription.state === 'canceled') return [];
  return next.keys.filter(
    ({ id, state }) =>
      state.status === 'revoked' &&
      state.cause === 'cancellation' &&
      keyIn(before, id)?.state.status !== 'revoked',
  );
}

/**
 * The delay before each retry of a notice that could not be sent. After the last retry the service does not try again.
 */
const RETRIES: readonly Duration[] = [1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60].map(
  (minutes) => minutes * MINUTE,
);

export const retryAfter = (attempts: number): Duration | null => RETRIES[attempts - 1] ?? null;
