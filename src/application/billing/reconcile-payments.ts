import { RETRY_AFTER_FAULT } from '../../domain/accounts/account-due.js';
import { DAY, HOUR, MINUTE, type Moment, plus } from '../../domain/moment.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import type { Leases } from '../ports/leases.js';
import type { PaymentEvents } from './payment-events.js';

const EVERY = 15 * MINUTE;
/** The time range of the first run: processors keep their events for this time. */
const FIRST_RANGE = 30 * DAY;
/** Each run repeats this part of the previous range, because the processor may list an older event after newer ones. */
const OVERLAP = HOUR;

const JOB = 'reconcile payments';

/**
 * Fetches the events since the last run from the processor, and receives those that were missed (D29). Only one
 * instance runs it at a time. The inbox recognises known events by their ids. The checkpoint is the creation time of
 * the latest event, from the clock of the processor. If an event could not be stored, the checkpoint stays, and the next run
 * tries it again.
 */
export const reconcilePayments = (parts: {
  readonly leases: Leases;
  readonly paymentEvents: PaymentEvents;
  readonly clock: Clock;
  /** Null if none is configured: then only waiting events are applied. */
  readonly processor: Processor | null;
}) =>
  /**
   * `isForced`: runs also if it is not due, as at the start of the process. Returns the number of new events; null if
   * another instance has the lease, or if it is not due.
   */
  async function reconcilePayments(isForced: boolean): Promise<number | null> {
    const { leases, paymentEvents, clock, processor } = parts;
    const lease = await leases.acquire(JOB, clock(), isForced);
    if (lease === null) return null;
    const { now } = lease;
    try {
      const since = lease.checkpoint === null ? plus(now, -FIRST_RANGE) : plus(lease.checkpoint, -OVERLAP);
      const { found, failed, latest } = await receiveSince(processor, paymentEvents, since);
      await paymentEvents.applyWaiting(null);
      if (failed > 0) await leases.release(lease, lease.checkpoint, plus(now, RETRY_AFTER_FAULT));
      else await leases.release(lease, latest ?? lease.checkpoint, plus(now, EVERY));
      return found;
    } catch (fault) {
      await leases.abandon(lease);
      throw fault;
    }
  };

async function receiveSince(processor: Processor | null, paymentEvents: PaymentEvents, since: Moment) {
  let found = 0;
  let failed = 0;
  let latest: Moment | null = null;
  if (processor === null) return { found, failed, latest };
  for await (const batch of processor.eventsSince(since)) {
    const received = await paymentEvents.receiveAll(batch);
    found += received.fresh;
    failed += received.failed;
    for (const { at } of batch) if (latest === null || at > latest) latest = at;
  }
  return { found, failed, latest };
}
