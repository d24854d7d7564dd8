import type { Account, AuditContext, Change } from '../accounts/account.js';
import { isDeleted } from '../accounts/account-deletion.js';
import { keysInUse } from '../keys/allowance.js';
import { type Refusal, refuse } from '../refusal.js';
import { rulingSubscription } from './billing.js';
import type { Plan, PlanName } from './plan.js';

/**
 * Why an operator cannot change the plan; null if it can be changed. While the payment processor names the plan (D27), its next
 * event would undo the change, and the customer would pay for another plan.
 */
export function whyNotChangePlan(
  account: Account,
): Refusal<'account_deleted' | 'subscription_running'> | null {
  if (isDeleted(account)) return refuse('account_deleted');
  const isNamed = (rulingSubscription(account.payments)?.plan ?? null) !== null;
  return isNamed ? refuse('subscription_running') : null;
}

/**
 * Changes the plan until the payment processor names one (D126). `seen`: the plan that the operator saw. No key is revoked
 * (D24), and no destination is removed.
 */
export function changePlan(
  account: Account,
  { seen, plan }: { readonly seen: PlanName; readonly plan: PlanName },
  context: AuditContext & { readonly reason: string },
): Change | Refusal {
  const refusal = whyNotChangePlan(account);
  if (refusal !== null) return refusal;
  const { subscription } = account;
  if (subscription.plan !== seen || seen === plan) return refuse('changed_meanwhile');
  const reason = `${seen} → ${plan}: ${context.reason}`;
  return {
    next: { ...account, openedPlan: plan, subscription: { ...subscription, plan } },
    entries: [{ ...context, reason, event: 'subscription_changed', key: null }],
  };
}

export type PlanLimitName = 'keys' | 'requestsPerMinute' | 'requestsPerDay' | 'streams' | 'destinations';

/** A limit before and after a change of plan. `inUse`: how much of it the account uses; null if only a part of it is known. */
export type LimitChange = {
  readonly limit: PlanLimitName;
  readonly before: number;
  readonly after: number;
  readonly inUse: number | null;
  /** How much of the use is beyond the new limit. */
  readonly beyond: number;
};

const LIMITS: readonly PlanLimitName[] = [
  ...(['requestsPerMinute', 'requestsPerDay', 'keys', 'streams', 'destinations'] as const),
];

/** What an account with so many destinations would have instead. */
export function limitChanges(
  account: Pick<Account, 'keys'>,
  destinations: number,
  plans: { readonly before: Plan; readonly after: Plan },
): readonly LimitChange[] {
  const used: Partial<Record<PlanLimitName, number>> = { keys: keysInUse(account.keys), destinations };
  return LIMITS.map((limit) => {
    const [before, after, inUse] = [plans.before[limit], plans.after[limit], used[limit] ?? null];
    return { limit, before, after, inUse, beyond: Math.max(0, (inUse ?? 0) - after) };
  });
}
