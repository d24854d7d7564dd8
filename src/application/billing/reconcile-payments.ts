import { DAY, HOUR, MINUTE, type Moment, plus } from '../../domain/moment.js';
import type { Processor } from '../ports/billing/processor.js';
import type { Clock } from '../ports/clock.js';
import type { Leases } from '../ports/leases.js';
import type { PaymentEvents } from './payment-events.js';

const EVERY = 15 * MINUTE;
/** As far back as processors keep their events. */
const FIRST_LOOK = 30 * DAY;
/** An event may be listed later than others that were made after it. */
const OVERLAP = HOUR;

const WORK = 'reconcile payments';

/**
 * Asks the processor what happened since the last time, and takes in what never came (D29); one instance at a time.
 * Its events are known by their ids: to see one again costs a look. The mark is the processor's own time.
 */
export const reconcilePayments = (parts: {
  readonly leases: Leases;
  readonly paymentEvents: PaymentEvents;
  readonly clock: Clock;
  /** Null where there is none to be asked: then only what waits is looked through. */
  readonly processor: Processor | null;
}) =>
  /** `insists`: at the start, whenever it was done before. Answers how many events were new; null if it was not its turn. */
  async function reconcilePayments(insists: boolean): Promise<number | null> {
    const { leases, paymentEvents, clock, processor } = parts;
    const now = clock();
    const lease = await leases.acquire(WORK, now, insists);
    if (lease === null) return null;
    try {
      const since = lease.checkpoint === null ? plus(now, -FIRST_LOOK) : plus(lease.checkpoint, -OVERLAP);
      const { found, latest } = await takeIn(processor, paymentEvents, since);
      await paymentEvents.applyWaiting(null);
      await leases.release(WORK, latest ?? lease.checkpoint, plus(now, EVERY));
      return found;
    } catch (fault) {
      await leases.abandon(WORK);
      throw fault;
    }
  };

async function takeIn(processor: Processor | null, paymentEvents: PaymentEvents, since: Moment) {
  let found = 0;
  let latest: Moment | null = null;
  if (processor === null) return { found, latest };
  for await (const some of processor.eventsSince(since)) {
    for (const event of some) {
      const { state } = await paymentEvents.receive(event);
      if (state !== 'known') found += 1;
      if (latest === null || event.at > latest) latest = event.at;
    }
  }
  return { found, latest };
}
