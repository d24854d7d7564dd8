import { DAY, HOUR, MINUTE, type Moment, plus } from '../../domain/moment.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import type { Leases } from '../ports/leases.js';
import type { PaymentEvents } from './payment-events.js';

const EVERY = 15 * MINUTE;
/** How far the first run goes back: as long as processors keep their events. */
const FIRST_RANGE = 30 * DAY;
/** The processor may list an event later than events that it created afterwards. */
const OVERLAP = HOUR;

const JOB = 'reconcile payments';

/**
 * Fetches the events since the last run from the processor, and receives those that were missed (D29). One instance runs
 * at a time. Known events are recognised by their ids. The checkpoint is a time of the processor.
 */
export const reconcilePayments = (parts: {
  readonly leases: Leases;
  readonly paymentEvents: PaymentEvents;
  readonly clock: Clock;
  /** Null if none is configured: then only waiting events are applied. */
  readonly processor: Processor | null;
}) =>
  /** `insists`: run even if it is not due, as at the start. Returns the number of new events; null without the lease. */
  async function reconcilePayments(isForced: boolean): Promise<number | null> {
    const { leases, paymentEvents, clock, processor } = parts;
    const now = clock();
    const lease = await leases.acquire(JOB, now, isForced);
    if (lease === null) return null;
    try {
      const since = lease.checkpoint === null ? plus(now, -FIRST_RANGE) : plus(lease.checkpoint, -OVERLAP);
      const { found, latest } = await receiveSince(processor, paymentEvents, since);
      await paymentEvents.applyWaiting(null);
      await leases.release(JOB, latest ?? lease.checkpoint, plus(now, EVERY));
      return found;
    } catch (fault) {
      await leases.abandon(JOB);
      throw fault;
    }
  };

async function receiveSince(processor: Processor | null, paymentEvents: PaymentEvents, since: Moment) {
  let found = 0;
  let latest: Moment | null = null;
  if (processor === null) return { found, latest };
  for await (const batch of processor.eventsSince(since)) {
    for (const event of batch) {
      const { state } = await paymentEvents.receive(event);
      if (state !== 'known') found += 1;
      if (latest === null || event.at > latest) latest = event.at;
    }
  }
  return { found, latest };
}
