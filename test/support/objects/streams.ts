import { randomUUID } from 'node:crypto';
import type { HeldSlot, SlotRequest, StreamId } from '../../../src/application/ports/limits/stream-slots.js';
import type { SubscriptionId } from '../../../src/domain/billing/subscription.js';
import { keyId } from './builders.js';

type Subscribed = Pick<SlotRequest, 'subscription' | 'allowed'>;

/** A subscription of its own: tests share their stores. */
export const aSubscription = ({ allowed }: { readonly allowed: number }): Subscribed => ({
  subscription: `sub_${randomUUID()}` as SubscriptionId,
  allowed,
});

/** A new stream of a subscription. Keys of different subscriptions differ. */
export const requestOf = (
  { subscription, allowed }: Subscribed,
  { key = 'key', isResumed = false }: { readonly key?: string; readonly isResumed?: boolean } = {},
): SlotRequest => ({
  ...{ subscription, allowed, isResumed },
  key: keyId(`${key}_of_${subscription}`),
  stream: randomUUID() as string as StreamId,
});

/** The slot of a stream that was opened just now, whose client never answered a ping. */
export const heldBy = (
  { subscription, key, stream, allowed }: SlotRequest,
  more: Partial<Pick<HeldSlot, 'secondsOpen' | 'secondsSincePong'>> = {},
): HeldSlot => ({ subscription, key, stream, allowed, secondsOpen: 0, secondsSincePong: null, ...more });
