declare const position: unique symbol;

/**
 * A position in a change log, as a token: the number of a change, and the mark that was stored with it (D44). Clients
 * and callers of ports treat it as opaque. `samePosition` compares two of them.
 */
export type Position = string & { readonly [position]: true };

/** What clients may rely on about the text of a position: the characters, and at most 64 of them (D44). */
export const POSITION_PATTERN = '^[A-Za-z0-9._~-]{1,64}$';

/** A random mark of 8 bytes, as hexadecimal digits. */
export type Mark = string;

/** For a change without a stored mark. The position is valid nowhere, because no change is stored with this mark. */
export const NO_MARK: Mark = '0'.repeat(16);

/** The first byte, so that another form can be told apart later. */
const FORM = '00';
const NUMBER_DIGITS = 14;

/** URL-safe base64 of the form (1 byte), the number (7 bytes) and the mark (8 bytes): 22 characters. */
export const positionOf = (n: number, mark: Mark): Position =>
  Buffer.from(`${FORM}${n.toString(16).padStart(NUMBER_DIGITS, '0')}${mark}`, 'hex').toString(
    'base64url',
  ) as Position;

/** Null for any text that `positionOf` does not return. */
export function readPosition(text: string): { readonly n: number; readonly mark: Mark } | null {
  const digits = Buffer.from(text, 'base64url').toString('hex');
  const n = Number.parseInt(digits.slice(FORM.length, FORM.length + NUMBER_DIGITS), 16);
  const mark = digits.slice(FORM.length + NUMBER_DIGITS);
  const isComplete = Number.isSafeInteger(n) && mark.length === NO_MARK.length;
  return isComplete && positionOf(n, mark) === text ? { n, mark } : null;
}

/** The number of the change, to compare positions of one log. */
export const changeNumber = (at: Position): number => readPosition(at)?.n ?? 0;

/** Whether two positions are at the same change of the same history: number and mark are equal. Null is equal to null only. */
export const samePosition = (one: Position | null, other: Position | null): boolean => one === other;

/** Whether a position has a greater number than another one of the same log. */
export const isAfter = (position: Position, other: Position): boolean =>
  changeNumber(position) > changeNumber(other);

/**
 * Whether a snapshot whose newest change is at `newest` has the change at `applied`. If not, another server has answered,
 * or the store has returned to an older state (D45). A snapshot with a greater number counts as later, although another
 * history could have such a number too.
 */
export const holds = (newest: Position, applied: Position): boolean =>
  samePosition(newest, applied) || isAfter(newest, applied);
