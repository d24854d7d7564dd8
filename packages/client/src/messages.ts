import type {
  StreamBatch,
  StreamClosing,
  StreamHeartbeat,
  StreamItem,
  StreamLive,
  StreamReady,
  StreamRetraction,
} from './api.js';
import { isObject } from './json.js';

/**
 * What `follow` yields. Apply `item` as an upsert by `news_event.id`, and `retraction` as a removal. `live` says that all
 * changes up to now were sent. The others only move the position. `position` covers everything up to the message: store
 * it together with the data, or after it.
 */
export type FeedMessage = StreamItem | StreamRetraction | Progress;

export type Progress =
  | Pick<StreamReady, 'type' | 'position'>
  | Pick<StreamLive, 'type' | 'position'>
  | Pick<StreamHeartbeat, 'type' | 'position'>;

/** A message as the service sends it. */
export type StreamMessage =
  | StreamReady
  | StreamItem
  | StreamRetraction
  | StreamLive
  | StreamHeartbeat
  | StreamClosing;

const KNOWN_TYPES: Readonly<Record<StreamMessage['type'], true>> = {
  ready: true,
  item: true,
  retraction: true,
  live: true,
  heartbeat: true,
  closing: true,
};

/** Whether it is any message of the service, also of a type that this version does not know. */
export const isMessage = (value: unknown): value is { readonly type: string; readonly position: string } =>
  isObject(value) && typeof value['type'] === 'string' && typeof value['position'] === 'string';

export const isKnown = (message: { readonly type: string }): message is StreamMessage =>
  Object.hasOwn(KNOWN_TYPES, message.type);

export const isBatch = (value: unknown): value is StreamBatch =>
  isObject(value) &&
  typeof value['position'] === 'string' &&
  Array.isArray(value['messages']) &&
  value['messages'].every(isMessage);
