/** The numbers of the log are divided into ranges of so many changes: those of one permit. */
const RANGE = 500;

/**
 * Whether the lines of an export say how far it is, in place of a change that its filter does not pass: at the first change of each
 * range. `before` is the number of the change before it. This rests on numbers only, and not on time: two downloads of a range are
 * equal, byte for byte (D61). One that was continued has the same changes, but can lack a progress line where it was continued.
 */
export const showsProgress = (before: number, number: number): boolean =>
  Math.floor(number / RANGE) > Math.floor(before / RANGE);
