import type { Position } from '../feed/position.js';
import type { Progress } from '../feed/stream-position.js';
import { isInItems, logPositionOf } from '../feed/stream-start.js';
import type { KeyId } from '../keys/api-key.js';
import type { Refusal } from '../refusal.js';
import { DAILY_LIMITS } from './rate-limit.js';

/** The rules of open streams (D51). All times are seconds; the clock of a slot is that of its store. */

/** The slot of an instance that crashed is free after this time: a lease that is not renewed ends. A setting changes it. */
export const SLOT_LEASE_SECONDS = 30;

/** A lease is renewed this often. A stream whose slot went to another one learns it then at the latest. */
export const renewalSeconds = (leaseSeconds: number): number => leaseSeconds / 3;

/** A WebSocket that answered a ping within this time is alive, so no other stream takes its slot. */
export const ALIVE_AFTER_PING_SECONDS = 20;
/** The most streams of one key that are replaced within the window: two clients must not replace each other for ever. */
export const REPLACED_MAX = 6;
export const REPLACED_WINDOW_SECONDS = 600;
/** A store remembers this long that a stream was replaced or reduced, so that a late renewal takes no slot for it. */
export const ENDED_KEPT_SECONDS = 600;
/** An open looks for a stream to replace among this many of the oldest, so that its work is bounded. */
export const REPLACEABLE_MAX = 250;
/** A client that finds no slot, or lost it to another stream, waits this long. */
export const NO_SLOT_RETRY_SECONDS = 30;

/** An open stream of a subscription, as its slot shows it. */
export type SlotHolder = {
  readonly key: KeyId;
  /** Until this time no other stream takes the slot. */
  readonly protectedUntil: number;
};

export type SlotWish = {
  readonly key: KeyId;
  /** The streams that the plan of the subscription allows at once. */
  readonly allowed: number;
  readonly isResumed: boolean;
  /** The number of streams of the key that were replaced within the window. */
  readonly replacedLately: number;
};

export type SlotDecision<Stream> =
  | { readonly granted: true; readonly replaced: Stream | null }
  | { readonly granted: false };

/**
 * Whether a stream may open, and which stream it replaces: null while a slot is free. `open` are the streams of the
 * subscription, the oldest first.
 */
export function slotFor<Stream extends SlotHolder>(
  open: readonly Stream[],
  { key, allowed, isResumed, replacedLately }: SlotWish,
  now: number,
): SlotDecision<Stream> {
  if (open.length < allowed) return { granted: true, replaced: null };
  if (!isResumed || replacedLately >= REPLACED_MAX) return { granted: false };
  const replaced = open
    .slice(0, REPLACEABLE_MAX)
    .find((stream) => stream.key === key && stream.protectedUntil <= now);
  return replaced === undefined ? { granted: false } : { granted: true, replaced };
}

/** The number of open streams of each key; a key without one is absent. */
export function openByKey(open: Iterable<KeyId>): ReadonlyMap<KeyId, number> {
  const counts = new Map<KeyId, number>();
  for (const key of open) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Whether a replacement at `at` still counts towards `REPLACED_MAX`. */
export const isReplacedLately = (at: number, now: number): boolean => now - at < REPLACED_WINDOW_SECONDS;

/**
 * The seconds from a renewal for which no other stream takes the slot.
 *
 * The store learns of an answered ping at the next renewal only. Therefore a client that is alive is protected until the
 * next renewal, even if the last answer will be too old by then: the next answer may arrive in between.
 */
export const protectedSeconds = (secondsSincePong: number | null, leaseSeconds: number): number =>
  secondsSincePong === null || secondsSincePong > ALIVE_AFTER_PING_SECONDS
    ? 0
    : Math.max(ALIVE_AFTER_PING_SECONDS - secondsSincePong, renewalSeconds(leaseSeconds));

/** Whether a pong protects a stream that was not protected: its store learns of it at once, not at the next renewal. */
export const isFirstSignOfLife = (secondsSincePong: number | null): boolean =>
  secondsSincePong === null || secondsSincePong > ALIVE_AFTER_PING_SECONDS;

/** The streams that a plan with fewer streams ends: the newest (D52). `open` has the oldest first. */
export const streamsBeyond = <Stream>(open: readonly Stream[], allowed: number): readonly Stream[] =>
  open.slice(allowed);

/**
 * Whether a renewal was late: for longer than a lease the instance did not try to renew, because it was paused. Other
 * streams may have taken its slots. A slot that is missing without a pause was lost by the store.
 */
export const isLateRenewal = (
  secondsSinceRenewal: number,
  secondsOpen: number,
  leaseSeconds: number,
): boolean => Math.min(secondsSinceRenewal, secondsOpen) > leaseSeconds;

/** Whether a stream without a slot takes one again when it renews. `wasEnded`: it was replaced, or the plan was reduced. */
export const mayTakeAgain = (state: {
  readonly wasEnded: boolean;
  readonly isLate: boolean;
  readonly isFree: boolean;
}): boolean => !state.wasEnded && (state.isFree || !state.isLate);

/** A permit is for so many items: looked at by a replay or a batch, or sent by a resume. */
const ITEMS_PER_PERMIT = 500;
/** A resume pays for what its filter does not pass too, but much less: otherwise the whole log could be read for one permit. */
const LOOKS_PER_PERMIT = 5_000;

/** What costs permits until a stream has caught up: what it looks at, what it sends, or nothing. */
export type Payment = 'looks' | 'sent' | 'nothing';

/** A position inside a replay pays like the replay. So few changes that the permit of the request is enough cost nothing more. */
export function resumePayment(progress: Progress, newest: Position): Payment {
  if (isInItems(progress)) return 'looks';
  return newest.n - logPositionOf(progress).n > ITEMS_PER_PERMIT ? 'sent' : 'nothing';
}

/** The permits for so many items and changes that were looked at, of which so many were sent (D46, D51). */
export function permitsFor(payment: Payment, looked: number, sent: number): number {
  switch (payment) {
    case 'nothing':
      return 0;
    case 'looks':
      return Math.ceil(looked / ITEMS_PER_PERMIT);
    case 'sent':
      return Math.max(Math.ceil(sent / ITEMS_PER_PERMIT), Math.ceil(looked / LOOKS_PER_PERMIT));
  }
}

/** The limits that are used up, and the seconds until they have permits again. */
type PermitWait = { readonly waitSeconds: number; readonly violated: readonly string[] };

/** Whether a replay may go on: at once, after some seconds, or not today. */
export type ReplayPermit = 'granted' | PermitWait | Refusal<'rate_limited'>;

/** A replay waits for the next minute. It ends if a quota of the day is used up (D51). */
export const replayPermit = (refusal: Refusal<'rate_limited'>): ReplayPermit =>
  refusal.violated.some((name) => DAILY_LIMITS.includes(name))
    ? refusal
    : { waitSeconds: refusal.retryAfterSeconds, violated: refusal.violated };

/** The share of the files of a process that streams may use. The rest is for requests and for its servers. */
const SHARE_OF_FILES = 0.8;

/** The most streams of one process: the setting, but within its limit of open files (null: not known). */
export const streamsAtOnce = (setting: number, openFiles: number | null): number =>
  openFiles === null ? setting : Math.min(setting, Math.floor(openFiles * SHARE_OF_FILES));
