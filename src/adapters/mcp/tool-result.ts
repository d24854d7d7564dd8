/** The size of the results of tools (D119). An agent pays for each byte with its context. */

/** The most items or messages of one result. */
export const RESULT_ITEMS_MAX = 25;

/** How many a result has if the agent does not say. Items of the usual size fit into one result. */
export const RESULT_ITEMS_DEFAULT = 10;

/** The most bytes of one result, as JSON in UTF-8. */
export const RESULT_BYTES_MAX = 60 * 1_024;

/** Room for the other members of a result: a cursor, a position and names. */
const ENVELOPE_BYTES = 512;

/** The sizes of an entry of a result as JSON in UTF-8, and of the note that replaces an entry that is too large. */
export type EntrySize = { readonly bytes: number; readonly noteBytes: number };

/** Whether an entry exceeds a result that has nothing else. */
export const isTooLarge = (bytes: number): boolean => bytes > RESULT_BYTES_MAX - ENVELOPE_BYTES;

/**
 * The number of leading entries that fit into one result. An entry that is too large for any result counts with its note.
 * At least 1 if there are entries, so that the next request begins after what was shown.
 */
export function fittingEntries(entries: readonly EntrySize[]): number {
  let left = RESULT_BYTES_MAX - ENVELOPE_BYTES;
  const over = entries.findIndex(({ bytes, noteBytes }) => {
    // 1 byte for the comma.
    left -= 1 + (isTooLarge(bytes) ? noteBytes : bytes);
    return left < 0;
  });
  return over === -1 ? entries.length : Math.max(1, over);
}
