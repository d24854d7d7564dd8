import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures for Prometheus, under the names of OpenTelemetry's semantic conventions. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'listener' | 'method' | 'route' | 'status'>;
  readonly #hints: Counter<'what'>;
  readonly #copiedItems: Gauge;
  readonly #feedVersion: Gauge;
  readonly #partUp: Gauge<'part'>;
  readonly #paymentEvents: Counter<'state'>;
  readonly #notices: Counter<'how'>;
  readonly #reconciledAt: Gauge;
  readonly contentType: string = this.#registry.contentType;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'How long requests took, from the first byte of the header to the last of the answer.',
      labelNames: ['listener', 'method', 'route', 'status'],
      buckets: SECONDS,
      registers: [this.#registry],
    });
    this.#hints = new Counter({
      name: 'oddswire_hints_total',
      help: 'Hints of changes between instances: sent by this one, and heard by it from all.',
      labelNames: ['what'],
      registers: [this.#registry],
    });
    this.#feedVersion = new Gauge({
      name: 'oddswire_feed_version',
      help: 'The number of the last change of the feed that this process serves; the same everywhere, but for moments.',
      aggregator: 'min',
      registers: [this.#registry],
    });
    this.#copiedItems = new Gauge({
      name: 'oddswire_copied_items',
      help: 'Items of the feed that this process holds a copy of.',
      aggregator: 'min',
      registers: [this.#registry],
    });
    this.#partUp = new Gauge({
      name: 'oddswire_part_up',
      help: 'Whether a server that the service leans on answers: 1, or 0 while it is done without.',
      aggregator: 'min',
      labelNames: ['part'],
      registers: [this.#registry],
    });
    this.#paymentEvents = new Counter({
      name: 'oddswire_payment_events_total',
      help: 'Events of the payment processor by what became of them; a failed one waits to be replayed.',
      labelNames: ['state'],
      registers: [this.#registry],
    });
    this.#notices = new Counter({
      name: 'oddswire_notices_total',
      help: 'Mails to owners of accounts by what became of them.',
      labelNames: ['how'],
      registers: [this.#registry],
    });
    this.#reconciledAt = new Gauge({
      name: 'oddswire_reconciled_timestamp_seconds',
      help: 'When this instance last asked the payment processor for all that happened, in seconds since 1970.',
      aggregator: 'max',
      registers: [this.#registry],
    });
  }

  paymentEvent(state: string): void {
    this.#paymentEvents.inc({ state });
  }

  notice(how: string): void {
    this.#notices.inc({ how });
  }

  reconciled(seconds: number): void {
    this.#reconciledAt.set(seconds);
  }

  hint(what: 'sent' | 'heard'): void {
    this.#hints.inc({ what });
  }

  copied(items: number, version: number): void {
    this.#copiedItems.set(items);
    this.#feedVersion.set(version);
  }

  partUp(part: string, isUp: boolean): void {
    this.#partUp.set({ part }, isUp ? 1 : 0);
  }

  /** `route` is a pattern of ours, never what a caller sent: label values must not grow with requests. */
  request(
    labels: { listener: string; method: string; route: string; status: number },
    seconds: number,
  ): void {
    this.#requests.observe(labels, seconds);
  }

  /** For whoever puts the figures of several processes together. */
  readonly json = (): Promise<object[]> => this.#registry.getMetricsAsJSON();

  readonly text = (): Promise<string> => this.#registry.metrics();
}
