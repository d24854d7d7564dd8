import type { Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';

const TIMEOUT_MS = 2_000;

type Metric = { readonly type: string };
type Metrics = object[];
/** The metrics that `aggregate` returns: their `get` is synchronous. */
type Aggregated = { readonly get: () => object };

/**
 * The sums of the metrics of all workers. The last known counts of an exited worker stay in the sums, because
 * Prometheus interprets a lower sum as a restart of the service.
 */
export class ClusterMetrics {
  readonly #waiting = new Map<
    number,
    { readonly worker: Worker; readonly done: (metrics: Metrics) => void }
  >();
  readonly #last = new Map<Worker, Metrics>();
  #exited: Metrics = [];
  #questions = 0;

  /** In the format of Prometheus. Null if a worker does not answer in time, because the sums would be wrong. */
  async ofAll(
    workers: readonly Worker[],
    ask: (worker: Worker, question: number) => void,
  ): Promise<string | null> {
    const answers = await Promise.all(workers.map((worker) => this.#of(worker, ask)));
    const received = answers.filter((metrics) => metrics !== null);
    if (received.length < answers.length) return null;
    return AggregatorRegistry.aggregate([this.#exited, ...received]).metrics();
  }

  /** Stores the answer of a worker to a question. */
  receive(worker: Worker, question: number, metrics: Metrics): void {
    this.#last.set(worker, metrics);
    this.#waiting.get(question)?.done(metrics);
  }

  /** Adds the last counts of an exited worker to the sums. */
  remove(worker: Worker): void {
    const counted = (this.#last.get(worker) ?? []).filter(isCounted);
    this.#last.delete(worker);
    this.#exited = AggregatorRegistry.aggregate([this.#exited, counted])
      .getMetricsAsArray()
      .map((metric) => (metric as unknown as Aggregated).get());
    for (const waiting of this.#waiting.values()) if (waiting.worker === worker) waiting.done([]);
  }

  /**
   * If the worker exits during the wait, the result is an empty list and not null, because `remove` has added its last
   * counts.
   */
  async #of(worker: Worker, ask: (worker: Worker, question: number) => void): Promise<Metrics | null> {
    this.#questions += 1;
    const question = this.#questions;
    const answered = new Promise<Metrics>((done) => this.#waiting.set(question, { worker, done }));
    ask(worker, question);
    const metrics = await Promise.race([answered, pause(TIMEOUT_MS, null, { ref: false })]);
    this.#waiting.delete(question);
    return metrics;
  }
}

/** Gauges are dropped when their worker exits. */
const isCounted = (metric: object): boolean => ['counter', 'histogram'].includes((metric as Metric).type);
