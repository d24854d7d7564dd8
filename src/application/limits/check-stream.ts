import type { Plans } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { graceUntil } from '../../domain/keys/api-key.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { Moment } from '../../domain/moment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { knownPlan } from '../billing/known-plan.js';
import { andThen, type MaybePromise } from '../maybe-promise.js';
import type { Clock } from '../ports/clock.js';
import type { Gate } from '../ports/keys/gate.js';
import { whyKeyRefused } from './admit-request.js';

/** What the key of an open stream may do. */
export type StreamAccess = {
  readonly subscription: SubscriptionId;
  /** The streams that the plan allows at once. */
  readonly allowed: number;
  /** The end of the grace window of the key (D22); null if it has none. */
  readonly endsAt: Moment | null;
};

/** Steps 2 to 4 of the gateway for a key with open streams, without a permit (D52). Throws `Unavailable`. */
export const checkStream = ({
  gate,
  plans,
  clock,
}: {
  readonly gate: Gate;
  readonly plans: Plans;
  readonly clock: Clock;
}) =>
  function checkStream(hash: KeyHash): MaybePromise<StreamAccess | Refusal> {
    return andThen(gate.find(hash), (entry): StreamAccess | Refusal => {
      if (entry === null) return refuse('key_unknown');
      const now = clock();
      const refusal = whyKeyRefused(entry, now);
      if (refusal !== null) return refusal;
      const { key, subscription } = entry;
      const allowed = knownPlan(plans, subscription.plan).streams;
      return { subscription: subscription.id, allowed, endsAt: graceUntil(key.state, now) };
    });
  };

export type CheckStream = ReturnType<typeof checkStream>;
