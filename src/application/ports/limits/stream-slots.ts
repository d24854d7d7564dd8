import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import type { KeyId } from '../../../domain/keys/api-key.js';

declare const streamId: unique symbol;

/** A random id of an open stream, without spaces. */
export type StreamId = string & { readonly [streamId]: true };

/** A stream and what its subscription may have. */
type CountedStream = {
  readonly subscription: SubscriptionId;
  readonly key: KeyId;
  readonly stream: StreamId;
  /** The streams that the plan of the subscription allows at once, now. */
  readonly allowed: number;
};

export type SlotRequest = CountedStream & {
  /** Whether the client resumes: the stream may then take the slot of the oldest stream of the same key (D51). */
  readonly isResumed: boolean;
};

/** `open` is the number of open streams of the subscription, with the new one. */
export type SlotAnswer =
  | { readonly granted: true; readonly open: number; readonly replaced: StreamId | null }
  | { readonly granted: false; readonly open: number };

/** A slot that a stream of this instance holds. Its times are those of the moment at which they are read; no adapter keeps it. */
export type HeldSlot = CountedStream & {
  /** Seconds since the stream was opened: a slot that is taken again keeps its position in the order of opening. */
  readonly secondsOpen: number;
  /** Seconds since the client answered a ping; null if it never did. */
  readonly secondsSincePong: number | null;
};

/** Whether a renewal is the regular one of all slots of the instance, or an early one of a few, whose clients just proved alive. */
export type RenewalOf = 'all' | 'some';

/** What ended a stream: another one that resumed, or a plan with fewer streams. */
export type SlotLoss = 'replaced' | 'reduced';

/**
 * Counts the streams that are open at once, for each subscription (D51).
 *
 * What every adapter guarantees:
 * - `open` is atomic: if several callers want the last slot, exactly one gets it. A stream that holds a slot keeps it;
 * - a slot changes hands in one step; the listeners of the instance that lost it are called, unless the message is lost;
 * - a slot is free when its lease ends: 30 s after its last renewal (`domain/limits/streams.ts`);
 * - `renew` takes a slot again that is gone: always if the store lost it, and if one is free after a pause of the instance;
 * - `renew` returns the streams that hold none any more. A stream that was replaced or reduced gets none again;
 * - `close` is final, also for a renewal that was under way;
 * - `openByKey` counts each stream whose lease has not ended, on whichever instance it is open;
 * - `reduce` ends the newest streams beyond `allowed`, after a change to a smaller plan (D52);
 * - an adapter that cannot answer in time throws `Unavailable`. The caller never sees it: then each instance counts its own
 *   streams.
 *
 * The caller renews one after the other: all its slots three times in a lease, and in between some whose clients proved alive.
 * It closes every stream that ended, whatever ended it.
 */
export interface StreamSlots {
  open(request: SlotRequest): Promise<SlotAnswer>;
  renew(held: readonly HeldSlot[], renewalOf?: RenewalOf): Promise<readonly StreamId[]>;
  close(slot: Pick<HeldSlot, 'subscription' | 'stream'>): Promise<void>;
  reduce(subscription: SubscriptionId, allowed: number): Promise<void>;
  /** The number of open streams of each key of the subscription. A key without one is absent. */
  openByKey(subscription: SubscriptionId): Promise<ReadonlyMap<KeyId, number>>;
  /**
   * Called with each stream of this instance that lost its slot: to a stream that resumes, or because the plan allows fewer.
   * Returns a function that removes the listener.
   */
  onLost(listener: (stream: StreamId, why: SlotLoss) => void): () => void;
}
