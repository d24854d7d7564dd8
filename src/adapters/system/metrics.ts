import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { between, fromEpochMillis, type Moment, SECOND } from '../../domain/moment.js';

/** State of the feed in this process. A null has no sample: 0 would be read as a value. */
export type FeedFigures = {
  /** Number of the last change served; null before the first read of the feed. */
  readonly version: number | null;
  /** Null where the process keeps no copy, or before the copy is made. */
  readonly copiedItems: number | null;
  /** Null while the feed is empty. */
  readonly head: Moment | null;
};

const NO_FIGURES: FeedFigures = { version: null, copiedItems: null, head: null };
const EPOCH = fromEpochMillis(0);

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures for Prometheus, under the names of OpenTelemetry's semantic conventions. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'listener' | 'method' | 'route' | 'status'>;
  readonly #hints: Counter<'what'>;
  readonly #dependencyUp: Gauge<'dependency'>;
  readonly #dependencyWritable: Gauge<'dependency'>;
  readonly #paymentEvents: Counter<'state'>;
  readonly #notices: Counter<'how'>;
  #feedFigures: () => FeedFigures = () => NO_FIGURES;
  #reconciledAt: number | null = null;
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
    this.#dependencyUp = new Gauge({
      name: 'oddswire_dependency_up',
      help: 'Whether a server that the service leans on answers: 1, or 0 while it is done without.',
      aggregator: 'min',
      labelNames: ['dependency'],
      registers: [this.#registry],
    });
    this.#dependencyWritable = new Gauge({
      name: 'oddswire_dependency_writable',
      help: 'Whether a store that answers takes writes: 1, or 0 while it refuses them and reads go on.',
      aggregator: 'min',
      labelNames: ['dependency'],
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
    this.#addOptionalGauges();
  }

  #addOptionalGauges(): void {
    this.#addOptionalGauge(
      'oddswire_feed_version',
      'The number of the last change of the feed that this process serves; the same everywhere, but for moments.',
      'min',
      () => this.#feedFigures().version,
    );
    this.#addOptionalGauge(
      'oddswire_copied_items',
      'Items of the feed that this process holds a copy of; absent where it keeps none.',
      'min',
      () => this.#feedFigures().copiedItems,
    );
    this.#addOptionalGauge(
      'oddswire_feed_head_timestamp_seconds',
      'The head of the feed that this process serves, in seconds since 1970; absent while the feed is empty.',
      'min',
      () => {
        const { head } = this.#feedFigures();
        return head === null ? null : between(EPOCH, head) / SECOND;
      },
    );
    this.#addOptionalGauge(
      'oddswire_reconciled_timestamp_seconds',
      'When this instance last asked the payment processor for all that happened, in seconds since 1970; absent until it has.',
      'max',
      () => this.#reconciledAt,
    );
  }

  /**
   * A gauge without labels that has a sample only while it has a value. It is read when metrics are collected: prom-client
   * exports 0 from the creation of such a gauge on, and an alert on a timestamp would fire for good.
   */
  #addOptionalGauge(name: string, help: string, aggregator: 'min' | 'max', read: () => number | null): void {
    const gauge = new Gauge({
      name,
      help,
      aggregator,
      registers: [this.#registry],
      collect: () => {
        const value = read();
        if (value === null) gauge.remove();
        else gauge.set(value);
      },
    });
  }

  paymentEvent(state: string): void {
    this.#paymentEvents.inc({ state });
  }

  notice(how: string): void {
    this.#notices.inc({ how });
  }

  reconciled(seconds: number): void {
    this.#reconciledAt = seconds;
  }

  readonly hint = (what: 'sent' | 'heard'): void => {
    this.#hints.inc({ what });
  };

  /** Where the figures of the feed come from. `read` is called for each scrape, so it must only look at memory. */
  observeFeed(read: () => FeedFigures): void {
    this.#feedFigures = read;
  }

  dependencyUp(dependency: string, isUp: boolean): void {
    this.#dependencyUp.set({ dependency }, isUp ? 1 : 0);
  }

  dependencyWritable(dependency: string, isWritable: boolean): void {
    this.#dependencyWritable.set({ dependency }, isWritable ? 1 : 0);
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
