/** The exports of one process at a time: each has a response without end and two blocks of bodies in memory (D61). */
export const EXPORTS_MAX = 4;

/** How long a client may let an export wait, and an export may run while another one is refused, in milliseconds. */
export const EXPORT_PATIENCE_MS = 60_000;

/** A client that accepts so many bytes in this time is not too slow. */
const ENOUGH_BYTES = 256 * 1_024;

/** Lines are sent in chunks of at most so many bytes: less than half of `ENOUGH_BYTES`, also with the framing of HTTP. */
export const EXPORT_CHUNK_BYTES = 125_000;

/**
 * Whether a client accepts too little: it has let the export wait for the whole patience. `accepted` are the bytes of the chunks that it
 * accepted as a whole meanwhile. Beside them it can have accepted nearly half of `ENOUGH_BYTES` of the next one.
 */
export const isTooSlow = (accepted: number): boolean => accepted < ENOUGH_BYTES / 2;

/**
 * Why an export ends before its range does, beside a refusal: its client is too slow, the process stops, another export needs the
 * place, the subscription has opened another export, or the store does not answer.
 */
export type ExportEnd = 'slow' | 'restart' | 'full' | 'replaced' | 'unavailable';

/** Seconds after which the client may continue at the position of the last line. */
export const CONTINUE_AFTER: Readonly<Record<ExportEnd, number>> = {
  slow: 1,
  restart: 2,
  full: 10,
  replaced: 30,
  unavailable: 5,
};
