import type { PositionToken } from '../feed/position.js';
import type { StoredItem } from '../feed/stored-item.js';
import type { Moment } from '../moment.js';

/** A message of a batch, parsed (D49, D58). Another version may have stored the item, so every part of it is optional. */
export type DeliveredMessage = DeliveredItem | DeliveredRetraction;

export type DeliveredItem = {
  readonly type: 'item';
  readonly position: PositionToken;
  /** Null if the service has no time of the change. */
  readonly known_at: Moment | null;
  readonly scored_at: Moment;
  readonly item: StoredItem;
};

export type DeliveredRetraction = {
  readonly type: 'retraction';
  readonly position: PositionToken;
  readonly known_at: Moment | null;
  readonly id: string;
};
