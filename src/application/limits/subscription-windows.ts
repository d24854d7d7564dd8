import type { PlanName, Plans } from '../../domain/billing/plan.js';
import type { Subscription, SubscriptionId } from '../../domain/billing/subscription.js';
import { type Place, placeIn, policiesOf, type Window, windows } from '../../domain/limits/rate-limit.js';
import { epochSeconds, type Moment } from '../../domain/moment.js';

type OpenWindows = {
  readonly plan: PlanName;
  readonly open: readonly Window[];
  /**
   * One permit in each window. Whoever takes them copies the list: a permit is given back with the very list it was
   * taken with (`Counters`).
   */
  readonly permits: readonly Place[];
};

/** The open rate-limit windows of each subscription: computed once for all its requests of one second (D34). */
export class SubscriptionWindows {
  readonly #plans: Plans;
  #second = 0;
  #opened = new Map<SubscriptionId, OpenWindows>();

  constructor(plans: Plans) {
    this.#plans = plans;
  }

  of({ id, plan }: Subscription, now: Moment): OpenWindows {
    const second = epochSeconds(now);
    if (second !== this.#second) this.#opened = new Map();
    this.#second = second;
    const known = this.#opened.get(id);
    if (known?.plan === plan) return known;
    const open = windows(id, policiesOf(this.#plans[plan]), now);
    const opened = { plan, open, permits: open.map(placeIn) };
    this.#opened.set(id, opened);
    return opened;
  }
}
