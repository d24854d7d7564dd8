import type { SubscriptionId } from '../../domain/billing/subscription.js';

/** The batches of each subscription that wait in this process (D58). */
export class OpenBatches {
  readonly #counts = new Map<SubscriptionId, number>();

  of(subscription: SubscriptionId): number {
    return this.#counts.get(subscription) ?? 0;
  }

  add(subscription: SubscriptionId): void {
    this.#change(subscription, 1);
  }

  remove(subscription: SubscriptionId): void {
    this.#change(subscription, -1);
  }

  #change(subscription: SubscriptionId, by: 1 | -1): void {
    const count = this.of(subscription) + by;
    if (count === 0) this.#counts.delete(subscription);
    else this.#counts.set(subscription, count);
  }
}
