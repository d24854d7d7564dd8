import { isServedState, type RefusedState, type Subscription } from '../billing/subscription.js';
import { type ApiKey, areRevoked, causesOf, type KeyState } from '../keys/api-key.js';
import { type SuspensionCause, union } from '../keys/suspension.js';
import type { Moment } from '../moment.js';
import type { Account } from './account.js';

/** One reason to refuse requests: the state of the subscription (D27), or a suspension cause (D20). */
export type Obstacle = RefusedState | SuspensionCause;

/**
 * All reasons to refuse requests: first the state of the subscription, then its suspension causes and those of `key`.
 */
export function obstaclesOf(
  { state, suspension }: Subscription,
  key: KeyState = { status: 'active' },
): readonly Obstacle[] {
  const causes = union(causesOf(suspension), causesOf(key));
  return isServedState(state) ? causes : [state, ...causes];
}

/** Whether requests are refused for reasons that can end, so that the same keys work again. A cancellation cannot end. */
export const isBlocked = (subscription: Subscription): boolean =>
  subscription.state !== 'canceled' && obstaclesOf(subscription).length > 0;

/** Whether requests are refused because dunning ended without a payment: that of the service (D28), or that of the processor. */
export const hasDunningEnded = (subscription: Subscription): boolean =>
  isBlocked(subscription) &&
  obstaclesOf(subscription).some((obstacle) => obstacle === 'payment_failure' || obstacle === 'unpaid');

/** Whether the requests of an account are served, and until when if dunning runs. */
export type Access = {
  /** Keys with their own hold. Their requests are refused in every state of the subscription. */
  readonly heldKeys: readonly ApiKey[];
} & (
  | { readonly status: 'served' }
  /** Dunning runs. If an invoice is still open at `endsAt`, requests are refused from then on (D28). */
  | { readonly status: 'at_risk'; readonly endsAt: Moment }
  | {
      readonly status: 'refused';
      readonly obstacles: readonly Obstacle[];
      readonly hasOpenInvoice: boolean;
      /** All keys are revoked. None of them works again when the obstacles end. */
      readonly keysAreRevoked: boolean;
    }
);

export function accessOf(account: Account, now: Moment): Access {
  const heldKeys = account.keys.filter(({ state }) => state.status === 'suspended');
  const obstacles = obstaclesOf(account.subscription);
  if (obstacles.length > 0) {
    const keysAreRevoked = areRevoked(account.keys, now);
    return {
      status: 'refused',
      heldKeys,
      obstacles,
      hasOpenInvoice: hasOpenInvoice(account),
      keysAreRevoked,
    };
  }
  const endsAt = dunningEndsAt(account, now);
  return endsAt === null ? { status: 'served', heldKeys } : { status: 'at_risk', heldKeys, endsAt };
}

/** Reasons that a payment ends. */
const ENDED_BY_PAYMENT: readonly Obstacle[] = ['incomplete', 'unpaid', 'payment_failure'];

/** Whether a payment is what the account owes: dunning runs, or requests are refused for a missing payment. */
export const needsPayment = (access: Access): boolean =>
  access.status === 'at_risk' ||
  (access.status === 'refused' &&
    (access.hasOpenInvoice || access.obstacles.some((obstacle) => ENDED_BY_PAYMENT.includes(obstacle))));

/** Whether an invoice of the account is known to be open. */
export const hasOpenInvoice = ({ dunning }: Account): boolean => dunning.length > 0;

/**
 * The time at which requests are refused because of an open invoice, or of a subscription that is past due without a known
 * one; null if nothing is owed. At the deadline the service first asks the processor, so the suspension may come later
 * (D28).
 */
function dunningEndsAt({ dunning, pending }: Account, now: Moment): Moment | null {
  const payment = pending.find(({ event }) => event === 'payment_failed');
  const [deadline = null] = dunning.map((invoice) => invoice.deadline).sort();
  if (deadline === null) return payment === undefined ? null : (payment.askAt ?? payment.at);
  return now < deadline ? deadline : (payment?.at ?? deadline);
}
