/** The part of its time that a process works for an export while it answers other requests (D61). */
const EXPORT_SHARE = 0.25;

/** A process that is overloaded for long still goes on with its exports. */
const PAUSE_MAX_MS = 1_000;

/** What a process did for a block of an export, since the pause before it. Times in milliseconds. */
export type BlockTimes = {
  /** Its event loop ran. */
  readonly busyMs: number;
  readonly elapsedMs: number;
  readonly hasReadRequests: boolean;
};

/**
 * How long an export pauses after a block, in milliseconds, so that other customers hardly wait for it. If nobody asks for anything,
 * it does not pause. What it waited for its client counts as a pause.
 */
export const pauseAfterBlock = ({ busyMs, elapsedMs, hasReadRequests }: BlockTimes): number =>
  hasReadRequests ? Math.min(PAUSE_MAX_MS, Math.max(0, busyMs / EXPORT_SHARE - elapsedMs)) : 0;
