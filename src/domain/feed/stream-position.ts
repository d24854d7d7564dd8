import { epochSeconds, FIRST_MOMENT, type Moment, momentOf } from '../moment.js';
import {
  changeDigits,
  type Position,
  type PositionToken,
  positionToken,
  readChangeDigits,
  readPosition,
  samePosition,
} from './position.js';

/**
 * The position of a stream: how far the stream has got. Clients hold its token (D48).
 *
 * - `log`: the stream has sent every change up to `position`.
 * - `replay`: the stream sends stored items in the order of their times. It began when the newest change of the log was at
 *   `began`. It has sent the items up to the time `reached`. It leaves out an item that has changed after `began`, because it
 *   sends that change later. `seen` is the newest change of the log at the last read of items. If the store loses the change
 *   at `seen`, an item that was left out may be in the store again: then the position has expired (D45).
 *
 * A stream that leaves out a change because a later change supersedes it is also in the form `replay`, until it has sent the
 * changes up to `seen`.
 */
export type Progress =
  | { readonly of: 'log'; readonly position: Position }
  | {
      readonly of: 'replay';
      readonly began: Position;
      readonly seen: Position;
      readonly reached: Moment;
    };

export type ReplayProgress = Extract<Progress, { readonly of: 'replay' }>;

/** The first byte of a token of the form `replay`. */
const REPLAY_FORM = '01';
/** Number and mark of a change. */
const CHANGE_DIGITS = 30;
const SECONDS_DIGITS = 10;
const MICROS_DIGITS = 6;
const TIME_DIGITS = SECONDS_DIGITS + MICROS_DIGITS;
const FIRST_SECOND = epochSeconds(FIRST_MOMENT);
const MICROS_AT = 20;

/** Whether two streams are at the same position: their tokens are equal. */
export const sameProgress = (one: Progress, other: Progress): boolean =>
  one.of === 'log'
    ? other.of === 'log' && samePosition(one.position, other.position)
    : other.of === 'replay' &&
      samePosition(one.began, other.began) &&
      samePosition(one.seen, other.seen) &&
      one.reached === other.reached;

/** The token of the position of a stream. In the form `log` it is the token of the position in the log. */
export const streamToken = (progress: Progress): PositionToken =>
  progress.of === 'log' ? positionToken(progress.position) : replayToken(progress);

/** URL-safe base64 of the form (1 byte), number and mark of both changes (15 bytes each) and the time (8 bytes). */
function replayToken({ began, seen, reached }: ReplayProgress): PositionToken {
  const seconds = epochSeconds(reached) - FIRST_SECOND;
  const micros = Number(reached.slice(MICROS_AT, MICROS_AT + MICROS_DIGITS));
  const time = hex(seconds, SECONDS_DIGITS) + hex(micros, MICROS_DIGITS);
  const digits = `${REPLAY_FORM}${changeDigits(began)}${changeDigits(seen)}${time}`;
  return Buffer.from(digits, 'hex').toString('base64url') as PositionToken;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Null for any text that is no position. */
export function readStreamPosition(text: string): Progress | null {
  const position = readPosition(text);
  if (position !== null) return { of: 'log', position };
  const digits = Buffer.from(text, 'base64url').toString('hex');
  const changes = digits.slice(REPLAY_FORM.length, -TIME_DIGITS);
  const began = readChangeDigits(changes.slice(0, CHANGE_DIGITS));
  const seen = readChangeDigits(changes.slice(CHANGE_DIGITS));
  if (began === null || seen === null) return null;
  const time = digits.slice(-TIME_DIGITS);
  const seconds = Number.parseInt(time.slice(0, SECONDS_DIGITS), 16);
  const reached = momentOf(FIRST_SECOND + seconds, Number.parseInt(time.slice(SECONDS_DIGITS), 16));
  const progress = { of: 'replay', began, seen, reached } as const;
  return replayToken(progress) === text ? progress : null;
}
