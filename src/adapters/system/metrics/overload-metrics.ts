import { Counter, Gauge, type Registry } from 'prom-client';
import { REQUEST_PRIORITIES, type RequestPriority } from '../../../domain/limits/iteration-budget.js';

const MS = 1_000;

/** Metrics of the overload control (D76). */
export class OverloadMetrics {
  readonly #refused = new Map<RequestPriority, number>();
  readonly #emptied: Counter;
  #longestIterationMs = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    const refusals = this.#refused;
    new Counter({
      name: 'oddswire_overload_refusals_total',
      help: 'Requests that were refused because more arrived than the process answers in time, by priority.',
      labelNames: ['priority'],
      registers,
      collect() {
        for (const priority of REQUEST_PRIORITIES) this.inc({ priority }, refusals.get(priority) ?? 0);
        refusals.clear();
      },
    });
    this.#emptied = new Counter({
      name: 'oddswire_accept_queue_resets_total',
      help: 'How often the connections that were not accepted in time were reset together.',
      registers,
    });
    const longestSince = () => {
      const longest = this.#longestIterationMs;
      this.#longestIterationMs = 0;
      return longest / MS;
    };
    new Gauge({
      name: 'oddswire_longest_iteration_seconds',
      help: 'The longest iteration of the event loop since the last reading: how long a request can have waited to be read.',
      registers,
      collect() {
        this.set(longestSince());
      },
    });
  }

  readonly refused = (priority: RequestPriority): void => {
    this.#refused.set(priority, (this.#refused.get(priority) ?? 0) + 1);
  };

  readonly queueEmptied = (): void => this.#emptied.inc();

  readonly iterationEnded = (ms: number): void => {
    this.#longestIterationMs = Math.max(this.#longestIterationMs, ms);
  };
}
