/** Beside other requests, the work for a block is at most this part of the time until the next one. Exports share the part (D61). */
const EXPORTS_SHARE = 0.1;

/** A process that is overloaded for long still goes on with its exports. */
const PAUSE_MAX_MS = 1_000;

/** What a process did for a block of an export, since the pause before it. Times in milliseconds. */
export type BlockTimes = {
  /** The event loop ran, for the export or for others. What it did during the pause, as to read the next block, does not count. */
  readonly busyMs: number;
  readonly elapsedMs: number;
  readonly hasReadRequests: boolean;
  /** The exports that run in the process, at least one. */
  readonly exports: number;
};

/**
 * How long an export pauses after a block, in milliseconds, so that other requests wait less. If there are none, it does not pause.
 * The time in which the event loop was idle, as while the client takes nothing, counts as a pause.
 */
export const pauseAfterBlock = ({ busyMs, elapsedMs, hasReadRequests, exports }: BlockTimes): number =>
  hasReadRequests ? Math.min(PAUSE_MAX_MS, Math.max(0, (busyMs * exports) / EXPORTS_SHARE - elapsedMs)) : 0;
