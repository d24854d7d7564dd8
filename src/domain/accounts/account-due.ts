import { applyToSubscription } from '../billing/account-subscription.js';
import { applyKeyEvent } from '../keys/account-keys.js';
import { type DueOverlap, firstDueOverlap, retiresOlder } from '../keys/overlap.js';
import type { Moment } from '../moment.js';
import { isRefusal, type Refusal } from '../refusal.js';
import type { Account, AuditContext, Change, Pending } from './account.js';

/** When somebody should look at the account next, because time has passed or the processor is to be asked. */
export const nextDue = ({ keys, pending }: Account): Moment | null =>
  earliest([firstDueOverlap(keys)?.at ?? null, ...pending.map(({ at, askAt }) => askAt ?? at)]);

/**
 * The account as it stands after everything that fell due by `now`, each thing as of the moment it
 * fell due. Every decision starts from here, so that it does not matter how late due work runs.
 */
export function settled(account: Account, now: Moment): Change {
  let change: Change = { next: account, entries: [] };
  for (;;) {
    const step = firstDue(change.next, now);
    if (step === null) return change;
    const { next, entries } = step();
    change = { next, entries: [...change.entries, ...entries] };
  }
}

/** A decision on the account as it stands at `now`. */
export function decideAt(
  account: Account,
  now: Moment,
  decide: (current: Account) => Change | Refusal,
): Change | Refusal {
  const due = settled(account, now);
  const change = decide(due.next);
  return isRefusal(change) ? change : { ...change, entries: [...due.entries, ...change.entries] };
}

/** Of all that fell due, what did so first: it may decide what becomes of the rest. */
function firstDue(account: Account, now: Moment): (() => Change) | null {
  const overlap = firstDueOverlap(account.keys);
  const first = earliest([overlap?.at ?? null, ...account.pending.map(({ at }) => at)]);
  if (first === null || first > now) return null;
  const pending = account.pending.find(({ at }) => at === first);
  if (pending !== undefined) return () => comeToPass(account, pending);
  return overlap === null ? null : () => endOverlap(account, overlap);
}

function comeToPass(account: Account, { event, at }: Pending): Change {
  const next = { ...account, pending: account.pending.filter((other) => other.event !== event) };
  switch (event) {
    case 'payment_failed':
      return applyToSubscription(next, event, { actor: 'service', reason: 'dunning is exhausted', at });
    case 'trial_ended': {
      const reason = 'the trial is over, and the processor said nothing of what follows';
      return {
        next: { ...next, subscription: { ...next.subscription, state: 'incomplete' } },
        entries: [{ actor: 'service', reason, at, event, key: null }],
      };
    }
  }
}

/** What the service does about an overlap 24 hours after the rotation (`overlap.ts`). */
function endOverlap(account: Account, overlap: DueOverlap): Change {
  const { successor, older, at } = overlap;
  const keys = account.keys.map((key) => (key === successor ? { ...key, overlapEndsAt: null } : key));
  const unlimited: Change = { next: { ...account, keys }, entries: [] };
  if (!retiresOlder(overlap, account.subscription.suspension)) return unlimited;
  const context: AuditContext = { actor: 'service', reason: 'the overlap with its successor ended', at };
  const retired = applyKeyEvent(unlimited.next, older.id, 'rotated', context);
  return isRefusal(retired) ? unlimited : retired;
}

const earliest = (moments: readonly (Moment | null)[]): Moment | null =>
  moments.filter((at): at is Moment => at !== null).sort()[0] ?? null;
