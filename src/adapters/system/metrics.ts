import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures for Prometheus, under the names of OpenTelemetry's semantic conventions. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'listener' | 'method' | 'route' | 'status'>;
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
  }

  /** `route` is a pattern of ours, never what a caller sent: label values must not grow with requests. */
  request(
    labels: { listener: string; method: string; route: string; status: number },
    seconds: number,
  ): void {
    this.#requests.observe(labels, seconds);
  }

  readonly text = (): Promise<string> => this.#registry.metrics();
}
