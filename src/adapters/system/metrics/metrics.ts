import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AccountStatistics } from '../../../application/ports/accounts/account-statistics.js';
import { between, fromEpochMillis, type Moment, SECOND } from '../../../domain/moment.js';
import { AccountMetrics } from './account-metrics.js';
import { CacheMetrics } from './cache-metrics.js';
import { ClockMetrics } from './clock-metrics.js';
import { DestinationMetrics } from './destination-metrics.js';
import type { FeedFigures } from './feed-figures.js';
import { GatewayMetrics } from './gateway-metrics.js';
import { OverloadMetrics } from './overload-metrics.js';
import { StreamMetrics } from './stream-metrics.js';

const NO_FIGURES: FeedFigures = { position: null, copiedItems: null, head: null };
const EPOCH = fromEpochMillis(0);

/** What a process is: its version, and whether it is ready. */
type OwnProcess = { readonly version: string; readonly isReady: () => boolean };

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `limited`: too many attempts, or a limit on new accounts. */
export type SignInResult = 'signed_in' | 'refused' | 'limited';

/** Metrics for Prometheus, named by OpenTelemetry's semantic conventions. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'listener' | 'method' | 'route' | 'status'>;
  readonly #invalidations: Counter<'what'>;
  readonly #dependencyUp: Gauge<'dependency'>;
  readonly #dependencyWritable: Gauge<'dependency'>;
  readonly #paymentEvents: Counter<'state'>;
  readonly #notices: Counter<'how'>;
  readonly #divergences: Counter;
  readonly #deletedRows: Counter<'table'>;
  readonly #publications = this.#counter(
    'oddswire_publications_total',
    'Published items by result: accepted (new or replaced), unchanged (in the feed already), rejected (not valid), retracted, purged.',
    'result',
  );
  readonly #signIns = this.#counter(
    'oddswire_sign_ins_total',
    'Attempts to sign in by method and result. A request for a link is no attempt.',
    'method',
    'result',
  );
  readonly #failedReconciliations = this.#counter(
    'oddswire_reconciliation_failures_total',
    'Attempts to reconcile payments that failed.',
  );
  #feedFigures: () => FeedFigures = () => NO_FIGURES;
  #logAgeMs: () => number | null = () => null;
  #now: (() => Moment) | null = null;
  #reconciledAt: number | null = null;
  readonly contentType: string = this.#registry.contentType;
  readonly gateway = new GatewayMetrics(this.#registry);
  readonly streams = new StreamMetrics(this.#registry, this.gateway);
  readonly accounts = new AccountMetrics(this.#registry);
  readonly caches = new CacheMetrics(this.#registry);
  readonly clock = new ClockMetrics(this.#registry);
  readonly overload = new OverloadMetrics(this.#registry);
  readonly destinations = new DestinationMetrics(this.#registry);

  constructor(own: OwnProcess = { version: 'unknown', isReady: () => true }) {
    // Each sample wakes the process: at 10 ms, the default, they took a quarter of the CPU time of an idle service.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 20 });
    this.#addProcessGauges(own);
    this.#requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of requests, from the first byte of the header to the last byte of the answer.',
      labelNames: ['listener', 'method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [this.#registry],
    });
    this.#invalidations = this.#counter(
      'oddswire_hints_total',
      'Invalidations that this instance sent, and that it received (heard) from all instances.',
      'what',
    );
    this.#dependencyUp = this.#dependencyGauge(
      'oddswire_dependency_up',
      '1 if the dependency answers, 0 if it is unavailable and the service runs without it.',
    );
    this.#dependencyWritable = this.#dependencyGauge(
      'oddswire_dependency_writable',
      '1 if the dependency accepts writes, 0 if it answers but refuses writes.',
    );
    this.#paymentEvents = this.#counter(
      'oddswire_payment_events_total',
      'Payment events by state. An operator can replay failed events.',
      'state',
    );
    this.#notices = this.#counter('oddswire_notices_total', 'Emails to account owners by result.', 'how');
    this.#divergences = this.#counter(
      'oddswire_copy_divergences_total',
      'Copies of keys that differed from the database although the change log had no change. Any is a bug.',
    );
    this.#deletedRows = this.#counter(
      'oddswire_deleted_rows_total',
      'Rows that this instance deleted because their retention time had ended.',
      'table',
    );
    this.#startAtZero();
    this.#addFeedGauges();
    this.#addTimeGauges();
  }

  /**
   * Exports 0 for the label values that alerts use. Prometheus computes no increase for the first sample of a series, so
   * that an alert would miss the first failure.
   */
  #startAtZero(): void {
    for (const state of ['applied', 'failed', 'ignored', 'waiting']) this.#paymentEvents.inc({ state }, 0);
    for (const how of ['sent', 'put back', 'refused', 'in doubt']) this.#notices.inc({ how }, 0);
    for (const result of ['accepted', 'unchanged', 'rejected', 'retracted', 'purged'])
      this.#publications.inc({ result }, 0);
    for (const method of ['link', 'provider', 'operator_token'])
      for (const result of ['signed_in', 'refused', 'limited']) this.#signIns.inc({ method, result }, 0);
  }

  #addProcessGauges({ version, isReady }: OwnProcess): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'oddswire_build_info',
      help: 'Always 1. The labels are the versions of the service and of Node.js.',
      aggregator: 'max',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.versions.node }, 1);
    new Gauge({
      name: 'oddswire_ready',
      help: '1 if the process accepts requests, 0 while it starts or shuts down. As /readyz.',
      aggregator: 'min',
      registers,
      collect() {
        this.set(isReady() ? 1 : 0);
      },
    });
  }

  #counter<Label extends string>(
    name: string,
    help: string,
    ...labelNames: readonly Label[]
  ): Counter<Label> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** The value for several processes is that of the process with the worst one. */
  #dependencyGauge(name: string, help: string): Gauge<'dependency'> {
    const registers = [this.#registry];
    return new Gauge({ name, help, aggregator: 'min', labelNames: ['dependency'], registers });
  }

  #addFeedGauges(): void {
    this.#addOptionalGauge(
      'oddswire_feed_version',
      'Number of the last feed change that this process serves. Processes differ only for moments.',
      'min',
      () => {
        const { position } = this.#feedFigures();
        return position === null ? null : position.n;
      },
    );
    this.#addOptionalGauge(
      'oddswire_copied_items',
      'Feed items in the copy of this process. Absent if it keeps no copy.',
      'min',
      () => this.#feedFigures().copiedItems,
    );
    this.#addOptionalGauge(
      'oddswire_feed_head_timestamp_seconds',
      'Head of the feed that this process serves, in seconds since 1970. Absent while the feed is empty.',
      'min',
      () => {
        const { head } = this.#feedFigures();
        return head === null ? null : between(EPOCH, head) / SECOND;
      },
    );
    this.#addOptionalGauge(
      'oddswire_feed_head_age_seconds',
      'Age of the head of the feed that this process serves. Absent while the feed is empty.',
      'max',
      () => {
        const { head } = this.#feedFigures();
        return head === null || this.#now === null ? null : Math.max(0, between(head, this.#now()) / SECOND);
      },
    );
  }

  #addTimeGauges(): void {
    this.#addOptionalGauge(
      'oddswire_change_logs_age_seconds',
      'Time since the last complete read of the change logs began. Absent if the process keeps no copies.',
      'max',
      () => {
        const age = this.#logAgeMs();
        return age === null ? null : age / 1_000;
      },
    );
    this.#addOptionalGauge(
      'oddswire_reconciled_timestamp_seconds',
      'Time when this instance last reconciled payments, in seconds since 1970. Absent before the first time.',
      'max',
      () => this.#reconciledAt,
    );
  }

  /**
   * A gauge without labels that has a sample only while it has a value. Its value is read when the metrics are
   * collected. With an ordinary gauge, prom-client would export 0 before the first value, and an alert on a timestamp
   * would fire permanently.
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

  deletedRows(table: string, rows: number): void {
    this.#deletedRows.inc({ table }, rows);
  }

  /** Items of one publication by result. */
  publications(result: 'accepted' | 'unchanged' | 'rejected' | 'retracted' | 'purged', items: number): void {
    if (items > 0) this.#publications.inc({ result }, items);
  }

  signIn(method: 'link' | 'provider' | 'operator_token', result: SignInResult): void {
    this.#signIns.inc({ method, result });
  }

  /** Sets the clock that ages are measured by, and the source of the counts of keys and subscriptions. */
  observe(now: () => Moment, statistics: AccountStatistics): void {
    this.#now = now;
    this.accounts.observe(statistics);
  }

  reconciliationFailed(): void {
    this.#failedReconciliations.inc();
  }

  reconciled(seconds: number): void {
    this.#reconciledAt = seconds;
  }

  readonly invalidation = (what: 'sent' | 'heard'): void => {
    this.#invalidations.inc({ what });
  };

  divergence(): void {
    this.#divergences.inc();
  }

  /**
   * Sets the sources of the feed figures, and of the milliseconds since the change logs were read (null: never). Both are
   * called for each scrape, so they must only read memory.
   */
  observeCopies(feed: () => FeedFigures, logAgeMs: () => number | null): void {
    this.#feedFigures = feed;
    this.#logAgeMs = logAgeMs;
  }

  dependencyUp(dependency: string, isUp: boolean): void {
    this.#dependencyUp.set({ dependency }, isUp ? 1 : 0);
  }

  dependencyWritable(dependency: string, isWritable: boolean): void {
    this.#dependencyWritable.set({ dependency }, isWritable ? 1 : 0);
  }

  /** `route` is a route pattern, never a path from a caller: the number of label values must stay bounded. */
  request(
    labels: { listener: string; method: string; route: string; status: number },
    seconds: number,
  ): void {
    this.#requests.observe(labels, seconds);
  }

  /** For the supervisor, which aggregates the metrics of several processes. */
  readonly json = (): Promise<object[]> => this.#registry.getMetricsAsJSON();

  readonly text = (): Promise<string> => this.#registry.metrics();
}
