import { MINUTE, type Moment, plus } from '../domain/moment.js';
import { EXPIRING_TABLES, type ExpiringTable, expiryOf } from '../domain/retention.js';
import type { Clock } from './ports/clock.js';
import type { ExpiredRows } from './ports/expired-rows.js';
import type { Leases } from './ports/leases.js';

const JOB = 'delete expired rows';
const EVERY = 10 * MINUTE;

/** The most rows that one transaction deletes. */
const BATCH = 1_000;
/** Leaves the database to requests between two batches. */
const PAUSE_MS = 50;
/** Then the lease is released: with slow batches, too, this is before it would expire (2 minutes). */
const BATCHES_PER_LEASE = 100;
/** The interval of the check whether another instance still has the lease. */
const RECHECK_MS = 20;

export type DeleteExpiredRowsParts = {
  readonly leases: Leases;
  readonly expiredRows: ExpiredRows;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
  /** Called after each run with the number of rows that it deleted, for metrics and logs; not with 0. */
  readonly note: (table: ExpiringTable, rows: number) => void;
};

/** `taken`: another instance has the lease, or the job is not due. `more`: some expired rows are left. */
type Run = 'taken' | 'more' | 'done';

/** Deletes expired rows in batches, on one instance at a time. A timer calls `whenDue`, the test clock `untilDone`. */
export class DeleteExpiredRows {
  readonly #parts: DeleteExpiredRowsParts;

  constructor(parts: DeleteExpiredRowsParts) {
    this.#parts = parts;
  }

  /** Deletes until nothing is left, if the job is due. Ends after the current batch when the signal is aborted. */
  async whenDue(signal: AbortSignal): Promise<void> {
    while ((await this.#run(false, signal)) === 'more' && !signal.aborted);
  }

  /** Deletes until nothing is left, also if the job is not due. Waits while another instance does this. */
  async untilDone(): Promise<void> {
    const { pause } = this.#parts;
    for (;;) {
      const run = await this.#run(true);
      if (run === 'done') return;
      if (run === 'taken') await pause(RECHECK_MS);
    }
  }

  async #run(isForced: boolean, signal?: AbortSignal): Promise<Run> {
    const { leases, clock } = this.#parts;
    const lease = await leases.acquire(JOB, clock(), isForced);
    if (lease === null) return 'taken';
    const { now } = lease;
    try {
      const isDone = await this.#deleteBatches(now, signal);
      await leases.release(lease, null, isDone ? plus(now, EVERY) : now);
      return isDone ? 'done' : 'more';
    } catch (fault) {
      await leases.abandon(lease);
      throw fault;
    }
  }

  /** Whether nothing is left. */
  async #deleteBatches(now: Moment, signal?: AbortSignal): Promise<boolean> {
    const batches = { left: BATCHES_PER_LEASE };
    for (const table of EXPIRING_TABLES) {
      if (!(await this.#deleteFrom(table, now, batches, signal))) return false;
    }
    return true;
  }

  async #deleteFrom(
    table: ExpiringTable,
    now: Moment,
    batches: { left: number },
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { expiredRows, pause, note } = this.#parts;
    let deleted = 0;
    try {
      while (batches.left > 0 && signal?.aborted !== true) {
        batches.left -= 1;
        const rows = await expiredRows.delete(table, expiryOf(table, now), BATCH);
        deleted += rows;
        if (rows < BATCH) return true;
        await pause(PAUSE_MS);
      }
      return false;
    } finally {
      if (deleted > 0) note(table, deleted);
    }
  }
}
