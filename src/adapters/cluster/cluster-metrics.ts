import type { Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';

const PATIENCE_MS = 2_000;

type Metric = { readonly type: string };
type Metrics = object[];
/** What `aggregate` makes: it answers at once. */
type Aggregated = { readonly get: () => object };

/**
 * The metrics of several workers as one view. What a worker counted stays in the sums when it is gone, as of the last time
 * it was asked: a sum that falls would be read as a service that began anew.
 */
export class ClusterMetrics {
  readonly #waiting = new Map<
    number,
    { readonly worker: Worker; readonly done: (metrics: Metrics) => void }
  >();
  readonly #last = new Map<Worker, Metrics>();
  #departed: Metrics = [];
  #questions = 0;

  /** In the format of Prometheus; null where one does not answer in time: a view without it would be wrong. */
  async ofAll(
    workers: readonly Worker[],
    ask: (worker: Worker, question: number) => void,
  ): Promise<string | null> {
    const answers = await Promise.all(workers.map((worker) => this.#of(worker, ask)));
    const present = answers.filter((metrics) => metrics !== null);
    if (present.length < answers.length) return null;
    return AggregatorRegistry.aggregate([this.#departed, ...present]).metrics();
  }

  /** The answer of a worker to a question. */
  take(worker: Worker, question: number, metrics: Metrics): void {
    this.#last.set(worker, metrics);
    this.#waiting.get(question)?.done(metrics);
  }

  leave(worker: Worker): void {
    const counted = (this.#last.get(worker) ?? []).filter(isCounted);
    this.#last.delete(worker);
    this.#departed = AggregatorRegistry.aggregate([this.#departed, counted])
      .getMetricsAsArray()
      .map((metric) => (metric as unknown as Aggregated).get());
    for (const waiting of this.#waiting.values()) if (waiting.worker === worker) waiting.done([]);
  }

  /** One that ends while it is asked counts with what it said last, and not as missing. */
  async #of(worker: Worker, ask: (worker: Worker, question: number) => void): Promise<Metrics | null> {
    this.#questions += 1;
    const question = this.#questions;
    const answered = new Promise<Metrics>((done) => this.#waiting.set(question, { worker, done }));
    ask(worker, question);
    const metrics = await Promise.race([answered, pause(PATIENCE_MS, null, { ref: false })]);
    this.#waiting.delete(question);
    return metrics;
  }
}

/** Gauges tell how things are, and are gone with who told them. */
const isCounted = (metric: object): boolean => ['counter', 'histogram'].includes((metric as Metric).type);
