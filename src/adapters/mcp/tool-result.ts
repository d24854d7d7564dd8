/** The size of the results of tools (D119). An agent pays for each byte with its context. */

/** The most items or messages of one result. */
export const RESULT_ITEMS_MAX = 25;

/** How many a result has if the agent does not say. */
export const RESULT_ITEMS_DEFAULT = 10;

/** The most bytes of one result, as JSON in UTF-8. */
export const RESULT_BYTES_MAX = 60 * 1_024;

/** Room for the other members of a result: a cursor, a position and names. */
const ENVELOPE_BYTES = 512;

/** Whether an entry exceeds a result that has nothing else. */
export const isTooLarge = (bytes: number): boolean => bytes > RESULT_BYTES_MAX - ENVELOPE_BYTES;

/** The number of leading entries of these bytes that fit into one result beside something of `bytesUsed`; none if there is no room. */
export function fittingBeside(bytesUsed: number, entries: readonly number[]): number {
  let left = RESULT_BYTES_MAX - ENVELOPE_BYTES - bytesUsed;
  const over = entries.findIndex((bytes) => {
    left -= 1 + bytes; // 1 byte for the comma.
    return left < 0;
  });
  return over === -1 ? entries.length : over;
}
