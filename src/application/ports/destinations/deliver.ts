import type { Attempt } from '../../../domain/destinations/delivery.js';
import type { DeliveryId, Destination } from '../../../domain/destinations/destination.js';
import type { PositionToken } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';

/** What is sent to a destination. */
export type Delivery = {
  readonly id: DeliveryId;
  readonly content: 'changes' | 'reset' | 'test';
  readonly at: Moment;
  /** The JSON of each message. */
  readonly messages: readonly Buffer[];
  /** The receiver has every change up to it. */
  readonly position: PositionToken;
};

/**
 * Sends a delivery once, in the form of its destination. Never throws for a failure of the receiver, and returns within the
 * time-out of deliveries.
 */
export type Send = (destination: Destination, delivery: Delivery) => Promise<Attempt>;
