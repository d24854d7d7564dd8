import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Attempt, isDelivery } from '../../../domain/destinations/delivery.js';
import type { DestinationKind } from '../../../domain/destinations/destination.js';

type Figures = { readonly known: number; readonly ready: number; readonly underWay: number };

/** Metrics of deliveries. Only the process that delivers has other figures than 0. */
export class DestinationMetrics {
  readonly #deliveries: Counter<'kind' | 'result'>;
  readonly #duration: Histogram<'kind'>;
  #figures: () => Figures = () => ({ known: 0, ready: 0, underWay: 0 });

  constructor(registry: Registry) {
    const registers = [registry];
    this.#deliveries = new Counter({
      name: 'oddswire_deliveries_total',
      help: 'Tries to deliver to destinations. The result is delivered, failed (another answer than 2xx), or why none came.',
      labelNames: ['kind', 'result'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'oddswire_delivery_duration_seconds',
      help: 'Time until a receiver answered, or until the try failed.',
      labelNames: ['kind'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    const figures = () => this.#figures();
    new Gauge({
      name: 'oddswire_destinations',
      help: 'Destinations that this process delivers to: all of them (known), with changes to send (ready), and being sent to (under_way).',
      labelNames: ['what'],
      aggregator: 'sum',
      registers,
      collect() {
        const { known, ready, underWay } = figures();
        this.set({ what: 'known' }, known);
        this.set({ what: 'ready' }, ready);
        this.set({ what: 'under_way' }, underWay);
      },
    });
  }

  observe(figures: () => Figures): void {
    this.#figures = figures;
  }

  readonly note = (kind: DestinationKind, attempt: Attempt): void => {
    const result = isDelivery(attempt) ? 'delivered' : (attempt.error ?? 'failed');
    this.#deliveries.inc({ kind, result });
    this.#duration.observe({ kind }, attempt.durationMs / 1_000);
  };
}
