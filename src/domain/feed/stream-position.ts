import { epochSeconds, FIRST_MOMENT, type Moment, momentOf } from '../moment.js';
import { type Position, readPosition } from './position.js';

declare const replayPosition: unique symbol;

/**
 * A position inside a replay, as a token: the position at which the replay began, the newest change that it has seen, and
 * the time of the last item that was sent (D48).
 */
export type ReplayPosition = string & { readonly [replayPosition]: true };

/** What clients of a stream hold: a position in the change log of the feed, or one inside a replay. */
export type StreamPosition = Position | ReplayPosition;

/**
 * `log`: every change up to `position` was sent. `replay`: every item up to `reached` was sent that has not changed after
 * `began`. `seen` is the newest change of the log when items were last read: items were left out because of the changes up
 * to it, so the position is lost with them (D45). A stream that left out changes because of later ones has a position of this
 * form too, until it has those.
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

/** The first byte of each form. */
const FORM = '01';
const LOG_FORM = '00';
/** Number and mark of a change. */
const CHANGE_DIGITS = 30;
const SECONDS_DIGITS = 10;
const MICROS_DIGITS = 6;
const TIME_DIGITS = SECONDS_DIGITS + MICROS_DIGITS;
const FIRST_SECOND = epochSeconds(FIRST_MOMENT);
const MICROS_AT = 20;

/** URL-safe base64 of the form (1 byte), number and mark of both changes (15 bytes each) and the time (8 bytes). */
export function replayPositionOf({ began, seen, reached }: Omit<ReplayProgress, 'of'>): ReplayPosition {
  const seconds = epochSeconds(reached) - FIRST_SECOND;
  const micros = Number(reached.slice(MICROS_AT, MICROS_AT + MICROS_DIGITS));
  const time = hex(seconds, SECONDS_DIGITS) + hex(micros, MICROS_DIGITS);
  const digits = `${FORM}${changeDigits(began)}${changeDigits(seen)}${time}`;
  return Buffer.from(digits, 'hex').toString('base64url') as ReplayPosition;
}

const changeDigits = (position: Position): string =>
  Buffer.from(position, 'base64url').toString('hex').slice(LOG_FORM.length);

/** Null for digits that are no position. */
function positionFrom(digits: string): Position | null {
  const position = Buffer.from(`${LOG_FORM}${digits}`, 'hex').toString('base64url');
  return readPosition(position) === null ? null : (position as Position);
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** Null for any text that is no position. */
export function readStreamPosition(text: string): Progress | null {
  if (readPosition(text) !== null) return { of: 'log', position: text as Position };
  const digits = Buffer.from(text, 'base64url').toString('hex');
  const changes = digits.slice(FORM.length, -TIME_DIGITS);
  const began = positionFrom(changes.slice(0, CHANGE_DIGITS));
  const seen = positionFrom(changes.slice(CHANGE_DIGITS));
  if (began === null || seen === null) return null;
  const time = digits.slice(-TIME_DIGITS);
  const seconds = Number.parseInt(time.slice(0, SECONDS_DIGITS), 16);
  const reached = momentOf(FIRST_SECOND + seconds, Number.parseInt(time.slice(SECONDS_DIGITS), 16));
  const progress = { of: 'replay', began, seen, reached } as const;
  return replayPositionOf(progress) === text ? progress : null;
}
