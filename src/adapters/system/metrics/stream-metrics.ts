import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { PlanName } from '../../../domain/billing/plan.js';
import type { Refusal } from '../../../domain/refusal.js';
import type { GatewayMetrics } from './gateway-metrics.js';

const FORMS = ['sse', 'websocket', 'batch'] as const;
type Form = (typeof FORMS)[number];

/** One of this number of deliveries is measured: to measure each would cost as much as a tenth of its delivery. */
const MEASURED_EVERY = 16;

/** Metrics of streams. */
export class StreamMetrics {
  readonly #open: Gauge<'form' | 'plan'>;
  readonly #closed: Counter<'form' | 'reason'>;
  /** Changes that are not in the counter yet, which takes as long as a tenth of a delivery. */
  readonly #delivered: Record<Form, number> = { sse: 0, websocket: 0, batch: 0 };
  readonly #bytes: Counter<'form'>;
  readonly #lag: Histogram;
  readonly #resumed: Histogram;
  readonly #permits: Counter;
  readonly #max: Gauge;
  readonly #gateway: GatewayMetrics;
  #deliveries = 0;

  constructor(registry: Registry, gateway: GatewayMetrics) {
    const registers = [registry];
    this.#open = new Gauge({
      name: 'oddswire_streams_open',
      help: 'Open streams of this process, and batches that wait.',
      aggregator: 'sum',
      labelNames: ['form', 'plan'],
      registers,
    });
    this.#closed = new Counter({
      name: 'oddswire_streams_closed_total',
      help: 'Streams that ended. The reason is the code of a problem, or what happened to the connection.',
      labelNames: ['form', 'reason'],
      registers,
    });
    const delivered = this.#delivered;
    new Counter({
      name: 'oddswire_stream_changes_total',
      help: 'Items and retractions that were written to streams.',
      labelNames: ['form'],
      registers,
      collect() {
        for (const form of FORMS) this.inc({ form }, delivered[form]);
        for (const form of FORMS) delivered[form] = 0;
      },
    });
    this.#bytes = new Counter({
      name: 'oddswire_stream_bytes_total',
      help: 'Bytes that were written to streams, counted when a stream ends.',
      labelNames: ['form'],
      registers,
    });
    this.#lag = new Histogram({
      name: 'oddswire_stream_lag_seconds',
      help: `Time from when this process got a change until it wrote it to a stream; one of ${MEASURED_EVERY} deliveries.`,
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120],
      registers,
    });
    this.#resumed = new Histogram({
      name: 'oddswire_stream_resumed_changes',
      help: 'Changes between the position of a stream that resumes and the newest change.',
      buckets: [0, 1, 10, 100, 1_000, 10_000, 100_000],
      registers,
    });
    this.#max = maxGauge(registry);
    this.#gateway = gateway;
    this.#permits = permitsCounter(registry);
  }

  /** Counts a stream that is not opened, among the refusals of the gateway, and returns why. */
  refused<Why extends Refusal | 'overloaded'>(why: Why, plan: PlanName): Why {
    this.#gateway.refused(typeof why === 'string' ? why : why.refused, plan);
    return why;
  }

  limitedTo(max: number): void {
    this.#max.set(max);
  }

  opened(form: Form, plan: string): void {
    this.#open.inc({ form, plan });
  }

  closed(form: Form, plan: string, reason: string, bytes: number): void {
    this.#open.dec({ form, plan });
    this.#closed.inc({ form, reason });
    this.#bytes.inc({ form }, bytes);
  }

  delivered(form: Form, changes: number, lagSeconds: number | null): void {
    this.#delivered[form] += changes;
    this.#deliveries += 1;
    if (lagSeconds !== null && this.#deliveries % MEASURED_EVERY === 0) this.#lag.observe(lagSeconds);
  }

  resumed(changes: number): void {
    this.#resumed.observe(changes);
  }

  replayPermit(): void {
    this.#permits.inc();
  }
}

const maxGauge = (registry: Registry): Gauge =>
  new Gauge({
    name: 'oddswire_streams_max',
    help: 'The most streams that this process opens: STREAMS_MAX, or less if it may open few files.',
    aggregator: 'sum',
    registers: [registry],
  });

const permitsCounter = (registry: Registry): Counter =>
  new Counter({
    name: 'oddswire_stream_replay_permits_total',
    help: 'Permits that replays and resumes took after that of their request.',
    registers: [registry],
  });
