/** The rules of batches (D58). */

/** Bounds of the `limit` parameter: the items and retractions of one batch. */
export const BATCH_LIMIT = { minimum: 1, maximum: 500, default: 100 } as const;

/** Bounds of the `wait` parameter: how long a batch waits for its first message, in seconds. */
export const BATCH_WAIT = { minimum: 0, maximum: 30, default: 0 } as const;

const FREE_AFTER_MS = 5_000;

/** How a request for a batch ended. */
export type BatchOutcome = {
  /** Null: the batch is complete. */
  readonly problem: 'unavailable' | 'other' | null;
  readonly messages: number;
  /** Whether items or changes were looked at before the batch had caught up. */
  readonly hasLooked: boolean;
  /** How long it waited after it had caught up; 0 if it never had. */
  readonly waitedMs: number;
};

/**
 * Whether a batch costs no permit, because it cost no work: it is empty, and the client waited so long for it that it polls
 * rarely; or there is none, and nothing was read for it. Catching up is work and not waiting.
 */
export const isFreeBatch = ({ problem, messages, hasLooked, waitedMs }: BatchOutcome): boolean =>
  problem === null ? messages === 0 && waitedMs >= FREE_AFTER_MS : problem === 'other' && !hasLooked;
