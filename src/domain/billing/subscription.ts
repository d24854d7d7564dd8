import type { Suspension } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import { type Refusal, refuse } from '../refusal.js';
import type { PlanName } from './plan.js';

/**
 * Our subscription states (D27). The processor also has `past_due`. Here the subscription stays `active` while dunning
 * runs.
 */
export const SUBSCRIPTION_STATES = [
  'trialing',
  'active',
  'incomplete',
  'paused',
  'unpaid',
  'canceled',
] as const;

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

declare const subscriptionId: unique symbol;
export type SubscriptionId = string & { readonly [subscriptionId]: true };

export type Subscription = {
  readonly id: SubscriptionId;
  readonly plan: PlanName;
  readonly state: SubscriptionState;
  /** The causes on the subscription itself. They apply to all its keys (D21). */
  readonly suspension: Suspension;
  /** Whether its use is monitored for abuse, and since when. Earlier use does not count (`abuse.ts`). */
  readonly monitoring: { readonly isOn: boolean; readonly since: Moment };
};

/**
 * Step 4 of the gateway (D27). For a canceled subscription the refusal is `key_revoked`, because all its keys are
 * revoked.
 */
// biome-ignore format: a table is read by its columns
const ANSWERS = {
  trialing:   'continue',
  active:     'continue',
  incomplete: 'subscription_incomplete',
  paused:     'subscription_paused',
  unpaid:     'payment_required',
  canceled:   'key_revoked',
} as const satisfies Record<SubscriptionState, string>;

type Answers = typeof ANSWERS;

/** States whose requests are refused. */
export type RefusedState = {
  [S in SubscriptionState]: Answers[S] extends 'continue' ? never : S;
}[SubscriptionState];

export const isServedState = (state: SubscriptionState): state is Exclude<SubscriptionState, RefusedState> =>
  ANSWERS[state] === 'continue';

export function admittedBySubscription({
  state,
}: Subscription): Refusal<Answers[RefusedState]> | { readonly admitted: true } {
  return isServedState(state) ? { admitted: true } : refuse(ANSWERS[state]);
}
