import type { Subscription } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { OwnLimits } from '../../domain/keys/key-controls.js';
import { limitsOf, rateLimited } from '../../domain/limits/rate-limit.js';
import { type ReplayPermit, replayPermit } from '../../domain/limits/streams.js';
import type { Clock } from '../ports/clock.js';
import type { Counters } from '../ports/limits/counters.js';
import type { OpenWindows } from './open-windows.js';

/** Takes one permit for the next items of a replay (D51). `own` are the limits of the key that its owner has set. */
export const takeReplayPermit = ({
  counters,
  openWindows,
  clock,
}: {
  readonly counters: Counters;
  readonly openWindows: OpenWindows;
  readonly clock: Clock;
}) =>
  async function takeReplayPermit(
    subscription: Pick<Subscription, 'id' | 'plan'>,
    key: KeyId | null,
    own: OwnLimits | null = null,
  ): Promise<ReplayPermit> {
    const { open, permits } = openWindows(subscription, clock(), key, own);
    const { granted, counts } = await counters.take(permits.slice(), 1);
    return granted === 1 ? 'granted' : replayPermit(rateLimited(limitsOf(open, counts)));
  };

export type TakeReplayPermit = ReturnType<typeof takeReplayPermit>;
