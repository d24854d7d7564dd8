/** The rules of batches (D58). */

/** Bounds of the `limit` parameter: the items and retractions of one batch. */
export const BATCH_LIMIT = { minimum: 1, maximum: 500, default: 100 } as const;

/** Bounds of the `wait` parameter: how long a batch waits for its first message, in seconds. */
export const BATCH_WAIT = { minimum: 0, maximum: 30, default: 0 } as const;

const FREE_AFTER_MS = 5_000;

/** Whether a batch costs no permit: it is empty, and the client waited so long for it that it polls rarely. */
export const isFreeBatch = (messages: number, waitedMs: number): boolean =>
  messages === 0 && waitedMs >= FREE_AFTER_MS;
