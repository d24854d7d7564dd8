import type { Suspension } from '../keys/api-key.js';
import type { Moment } from '../moment.js';
import { type Refusal, refuse } from '../refusal.js';
import type { PlanName } from './plan.js';

/** D27. The processor's `past_due` is none of them: while dunning runs, a subscription is `active`. */
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
  /** The causes that lie on the subscription itself, and so on all its keys (D21). */
  readonly suspension: Suspension;
  /** Whether its use is looked at for abuse, and since when: what was before counts no more (`abuse.ts`). */
  readonly monitoring: { readonly isOn: boolean; readonly since: Moment };
};

/** Step 4 of the gateway (D27). A canceled subscription has only revoked keys, and answers as they do. */
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
