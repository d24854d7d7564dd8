import type { Plans } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { graceUntil } from '../../domain/keys/api-key.js';
import type { KeyControls } from '../../domain/keys/key-controls.js';
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
  /** The end of the grace window of the key (D22), or its expiry (D72), whichever is first; null if it has neither. */
  readonly endsAt: Moment | null;
  /** What the owner of the key has set; null if it is nothing. */
  readonly controls: KeyControls | null;
};

/**
 * Steps 2 to 4 of the gateway for a key with open streams, without a permit (D52). `source` is the address of the only stream, or null
 * if the caller compares the addresses of several with the controls. Throws `Unavailable`.
 */
export const checkStream = ({
  gate,
  plans,
  clock,
}: {
  readonly gate: Gate;
  readonly plans: Plans;
  readonly clock: Clock;
}) =>
  function checkStream(hash: KeyHash, source: string | null = null): MaybePromise<StreamAccess | Refusal> {
    return andThen(gate.find(hash), (entry): StreamAccess | Refusal => {
      if (entry === null) return refuse('key_unknown');
      const now = clock();
      const refusal = whyKeyRefused(entry, now, source);
      if (refusal !== null) return refusal;
      const { key, subscription } = entry;
      const allowed = knownPlan(plans, subscription.plan).streams;
      const ends = [graceUntil(key.state, now), key.controls?.expiresAt ?? null];
      const [endsAt = null] = ends.filter((at) => at !== null).sort();
      return { subscription: subscription.id, allowed, endsAt, controls: key.controls };
    });
  };

export type CheckStream = ReturnType<typeof checkStream>;
