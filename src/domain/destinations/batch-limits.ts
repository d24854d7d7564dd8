import { between, type Duration, HOUR, MINUTE, type Moment, plus } from '../moment.js';
import type { DestinationKind } from './destination.js';

/** What one delivery has at most (D67, D68). A first message that alone is larger than `bytes` is sent by itself. */
export type BatchLimits = {
  readonly messages: number;
  readonly bytes: number;
  /** How long the first change waits for others. */
  readonly wait: Duration;
};

const KILOBYTE = 1_024;

/** A feed is read, and not delivered to. */
export type PushedKind = Exclude<DestinationKind, 'feed'>;

// biome-ignore format: a table is read by its columns
export const BATCH_LIMITS: Readonly<Record<PushedKind, BatchLimits>> = {
  webhook: { messages: 100, bytes: 511 * KILOBYTE,   wait: 0 },
  slack:   { messages: 100, bytes: 511 * KILOBYTE,   wait: 0 },
  email:   { messages: 500, bytes: 4_096 * KILOBYTE, wait: 10 * MINUTE },
};

/** Whether a batch has room for another message. */
export const hasRoom = (
  { messages, bytes }: Pick<BatchLimits, 'messages' | 'bytes'>,
  soFar: { readonly messages: number; readonly bytes: number },
  added: number,
): boolean => soFar.messages === 0 || (soFar.messages < messages && soFar.bytes + added <= bytes);

/** When a batch whose first change became known at `knownAt` is sent, if it is not full; null for at once. */
export const sentFrom = ({ wait }: Pick<BatchLimits, 'wait'>, knownAt: Moment): Moment | null =>
  wait === 0 ? null : plus(knownAt, wait);

/** Items that cost one permit while a destination catches up, or when a batch is delivered again (D71). */
export const ITEMS_PER_PERMIT = 500;

/** A destination catches up while its next change is older than this. */
const CATCHING_UP: Duration = HOUR;

export const isCatchingUp = (knownAt: Moment | null, now: Moment): boolean =>
  knownAt !== null && between(knownAt, now) > CATCHING_UP;

/** The permits of a batch that is delivered again. An empty one costs one too. */
export const permitsFor = (items: number): number => Math.max(1, Math.ceil(items / ITEMS_PER_PERMIT));
