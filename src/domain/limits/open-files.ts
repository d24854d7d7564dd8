/** Above this share of the open files that a process may have, it needs some of them back. */
const CROWDED_SHARE = 0.9;

/**
 * Whether a process has nearly all open files that it may have, when it has opened one with this number. The system gives each
 * file the lowest free number, so all lower numbers are in use. `most`: null if the platform does not tell.
 */
export const isCrowded = (descriptor: number, most: number | null): boolean =>
  most !== null && descriptor >= most * CROWDED_SHARE;
