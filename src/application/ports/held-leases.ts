/**
 * Leases that a process holds while it lives (D65). A job of `Leases` runs now and then; a job of these runs all the time.
 *
 * What every adapter guarantees:
 * - a job has at most one holder at a time, by the clock of the store;
 * - `renew` renews what the holder has of these jobs, and acquires those that are free, in one statement. It returns the jobs
 *   that the holder has now. The lease of a killed process is free `LEASE_SECONDS` after its last renewal;
 * - `release` ends the leases of the holder, and no others.
 */
export interface HeldLeases {
  renew(holder: string, jobs: readonly string[]): Promise<ReadonlySet<string>>;
  release(holder: string): Promise<void>;
}
