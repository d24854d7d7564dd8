/** A random mark of 8 bytes, as hexadecimal digits. */
export type Mark = string;

/**
 * A position in a change log: the number of a change, and the mark that was stored with it (D44). `samePosition` compares two
 * of them.
 */
export type Position = { readonly n: number; readonly mark: Mark };

declare const token: unique symbol;

/** The text of a position, as clients hold it and messages have it. It is opaque to clients (D44). */
export type PositionToken = string & { readonly [token]: true };

/** What clients may rely on about the text of a position: the characters, and at most 64 of them (D44). */
export const POSITION_PATTERN = '^[A-Za-z0-9._~-]{1,64}$';

/** For a change without a stored mark. The position is valid nowhere, because no change is stored with this mark. */
export const NO_MARK: Mark = '0'.repeat(16);

/** The first byte, so that another form can be told apart later. */
const FORM = '00';
const NUMBER_DIGITS = 14;

/** URL-safe base64 of the form (1 byte), the number (7 bytes) and the mark (8 bytes): 22 characters. */
export const positionToken = (position: Position): PositionToken =>
  Buffer.from(`${FORM}${changeDigits(position)}`, 'hex').toString('base64url') as PositionToken;

/** Number and mark of a change, as 30 hexadecimal digits. */
export const changeDigits = ({ n, mark }: Position): string =>
  `${n.toString(16).padStart(NUMBER_DIGITS, '0')}${mark}`;

/** Null for digits that `changeDigits` does not return. */
export function readChangeDigits(digits: string): Position | null {
  const n = Number.parseInt(digits.slice(0, NUMBER_DIGITS), 16);
  const mark = digits.slice(NUMBER_DIGITS);
  return Number.isSafeInteger(n) && mark.length === NO_MARK.length ? { n, mark } : null;
}

/** Null for any text that `positionToken` does not return. */
export function readPosition(text: string): Position | null {
  const digits = Buffer.from(text, 'base64url').toString('hex');
  const position = readChangeDigits(digits.slice(FORM.length));
  return position !== null && positionToken(position) === text ? position : null;
}

/**
 * Whether two positions are at the same change of the same history: number and mark are equal. Null is equal to null
 * only.
 */
export const samePosition = (one: Position | null, other: Position | null): boolean =>
  one?.n === other?.n && one?.mark === other?.mark;

/** Whether a position has a greater number than another one of the same log. */
export const isAfter = (position: Position, other: Position): boolean => position.n > other.n;

/**
 * Whether a snapshot whose newest change is at `newest` has the change at `applied`. If not, another server has answered,
 * or the store has returned to an older state (D45). A snapshot with a greater number counts as later, although another
 * history could have such a number too.
 */
export const holds = (newest: Position, applied: Position): boolean =>
  samePosition(newest, applied) || isAfter(newest, applied);
