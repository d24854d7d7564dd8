import { plus, SECOND } from '../../domain/moment.js';
import type { Clock } from '../ports/clock.js';
import type { UnindexedItems } from '../ports/feed/unindexed-items.js';
import type { Leases } from '../ports/leases.js';

const JOB = 'index items';
/** During a rolling update, the previous version still stores items without terms. */
const EVERY = 10 * SECOND;

/** Few, because a publisher that replaces one of them waits for the batch. */
const BATCH = 100;
/** Leaves the database to requests between two batches. */
const PAUSE_MS = 20;
/** Then the lease is released: with slow batches, too, this is before it would expire (2 minutes). */
const BATCHES_PER_LEASE = 200;

export type IndexItemsParts = {
  readonly leases: Leases;
  readonly unindexedItems: UnindexedItems;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<unknown>;
};

/**
 * Gives items without terms their terms, on one instance at a time, so that filters find them by the index (D57). Returns
 * when none is left, when another instance does this, or after the current batch when the signal is aborted.
 */
export const indexItems = (parts: IndexItemsParts) =>
  async function indexItems(signal: AbortSignal): Promise<void> {
    while ((await indexUnderLease(parts, signal)) === 'more');
  };

async function indexUnderLease(
  { leases, unindexedItems, clock, pause }: IndexItemsParts,
  signal: AbortSignal,
): Promise<'more' | 'done'> {
  const now = clock();
  const lease = await leases.acquire(JOB, now, false);
  if (lease === null) return 'done';
  try {
    let isDone = false;
    for (let left = BATCHES_PER_LEASE; left > 0 && !isDone && !signal.aborted; left -= 1) {
      isDone = (await unindexedItems.index(BATCH)) < BATCH;
      if (!isDone) await pause(PAUSE_MS);
    }
    await leases.release(lease, null, isDone ? plus(now, EVERY) : now);
    return isDone || signal.aborted ? 'done' : 'more';
  } catch (fault) {
    await leases.abandon(lease);
    throw fault;
  }
}
