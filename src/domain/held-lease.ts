/** A lease that is not renewed ends after this time, by the clock of the store (D65). */
export const LEASE_SECONDS = 5;

/** The holder stops earlier: by its own clock, counted from before the renewal. So two processes never work at once. */
const STOPPED_MS = 4_000;

/** Whether the holder may work: `renewedAtMs` is when the last successful renewal began; null before the first one. */
export const mayStillWork = (renewedAtMs: number | null, nowMs: number): boolean =>
  renewedAtMs !== null && nowMs - renewedAtMs < STOPPED_MS;
