import { applyToSubscription } from '../billing/account-subscription.js';
import { applyKeyEvent } from '../keys/account-keys.js';
import type { KeyId } from '../keys/api-key.js';
import { type DueExpiry, dueExpiries, nextReminder } from '../keys/expiry.js';
import {
  checkedSuccessor,
  type DueOverlap,
  dueOverlaps,
  firstEndingOverlap,
  retiresOlder,
} from '../keys/overlap.js';
import { MINUTE, type Moment } from '../moment.js';
import { isRefusal, type Refusal, refuse } from '../refusal.js';
import type { Account, AuditContext, Change, Pending } from './account.js';
import { isDeleted } from './account-deletion.js';

/** Due work that failed because of a fault of the service is tried again after this time. */
export const RETRY_AFTER_FAULT = 5 * MINUTE;

/**
 * The next time at which the account has due work: an event is due, the use of a successor must be checked, or the processor
 * must be asked. A key expires, or its owner is reminded of that. Null if there is none.
 */
export const nextDue = ({ keys, pending, askTiesAt }: Account): Moment | null =>
  earliest([
    dueOverlaps(keys)[0]?.at ?? null,
    dueExpiries(keys)[0]?.at ?? null,
    askTiesAt,
    ...pending.map(({ at, askAt }) => askAt ?? at),
  ]);

/** The first use of each successor that was checked; null for one that is unused. */
export type FirstUses = ReadonlyMap<KeyId, Moment | null>;

/** The account after a check of its overlaps (D23). */
export const withFirstUses = (account: Account, uses: FirstUses, now: Moment): Account => ({
  ...account,
  keys: account.keys.map((key) => {
    const firstUsedAt = uses.get(key.id);
    return firstUsedAt === undefined ? key : checkedSuccessor(key, firstUsedAt, now);
  }),
});

/**
 * The account after all events that were due by `now`. Each event gets the time at which it was due. Every decision
 * starts from this account, so that the result is the same if due work runs late.
 */
export function applyDue(account: Account, now: Moment): Change {
  let change: Change = { next: account, entries: [] };
  for (;;) {
    const step = firstDue(change.next, now);
    if (step === null) return change;
    const { next, entries } = step();
    change = { next, entries: [...change.entries, ...entries] };
  }
}

/** Does the due work of the account first, then applies `decide` to the result. Refuses `account_deleted`. */
export function applyDueAndDecide(
  account: Account,
  now: Moment,
  decide: (current: Account) => Change | Refusal,
): Change | Refusal {
  if (isDeleted(account)) return refuse('account_deleted');
  const due = applyDue(account, now);
  const change = decide(due.next);
  return isRefusal(change) ? change : { ...change, entries: [...due.entries, ...change.entries] };
}

/** The event that was due first. The others wait, because this event can change or remove them. */
function firstDue(account: Account, now: Moment): (() => Change) | null {
  const overlap = firstEndingOverlap(account.keys);
  const expiry = dueExpiries(account.keys)[0] ?? null;
  const first = earliest([overlap?.at ?? null, expiry?.at ?? null, ...account.pending.map(({ at }) => at)]);
  if (first === null || first > now) return null;
  const pending = account.pending.find(({ at }) => at === first);
  if (pending !== undefined) return () => applyPending(account, pending);
  if (expiry?.at === first) return () => applyExpiry(account, expiry);
  return overlap === null ? null : () => endOverlap(account, overlap);
}

function applyPending(account: Account, { event, at }: Pending): Change {
  const next = { ...account, pending: account.pending.filter((other) => other.event !== event) };
  switch (event) {
    case 'payment_failed':
      return applyToSubscription(next, event, {
        actor: 'service',
        reason: 'an invoice was not paid in time',
        at,
      });
    case 'trial_ended': {
      const reason = 'the trial ended, and the payment processor has not reported the next state';
      return {
        next: { ...next, subscription: { ...next.subscription, state: 'incomplete' } },
        entries: [{ actor: 'service', reason, at, event, key: null }],
      };
    }
  }
}

/** Handles an overlap 24 hours after the first use of the successor (`overlap.ts`). */
function endOverlap(account: Account, overlap: DueOverlap): Change {
  const { successor, older, at } = overlap;
  const keys = account.keys.map((key) => (key === successor ? { ...key, overlapEndsAt: null } : key));
  const withoutDeadline: Change = { next: { ...account, keys }, entries: [] };
  if (!retiresOlder(overlap, account.subscription.suspension)) return withoutDeadline;
  const context: AuditContext = {
    actor: 'service',
    reason: 'retired automatically at the end of the rotation',
    at,
  };
  const retired = applyKeyEvent(withoutDeadline.next, older.id, 'rotated', context);
  return isRefusal(retired) ? withoutDeadline : retired;
}

/** Reminds the owner of an expiry, or writes it down (`expiry.ts`). The notices compare the accounts before and after. */
function applyExpiry(account: Account, { key, at, what }: DueExpiry): Change {
  if (what === 'remind') {
    const reminded = { ...key, remindAt: nextReminder(key.controls.expiresAt, at) };
    const keys = account.keys.map((other) => (other === key ? reminded : other));
    return { next: { ...account, keys }, entries: [] };
  }
  const context: AuditContext = { actor: 'service', reason: 'the expiry of the key has passed', at };
  const expired = applyKeyEvent(account, key.id, 'expired', context);
  return isRefusal(expired) ? { next: account, entries: [] } : expired;
}

const earliest = (moments: readonly (Moment | null)[]): Moment | null =>
  moments.filter((at): at is Moment => at !== null).sort()[0] ?? null;
