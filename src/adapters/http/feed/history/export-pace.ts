import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { pauseAfterBlock } from '../../../../domain/feed/history/export-pace.js';

/** Makes an export give way to the requests of others. The rule is in `domain/feed/history/export-pace.ts`. */
export class ExportPace {
  readonly #requestsRead: () => number;
  readonly #wait: (ms: number) => Promise<unknown>;
  #requests: number;
  #hasReadRequests = true;
  #loop = performance.eventLoopUtilization();

  constructor(requestsRead: () => number, wait: (ms: number) => Promise<unknown> = setTimeout) {
    this.#requestsRead = requestsRead;
    this.#wait = wait;
    this.#requests = requestsRead();
  }

  /** Whether the process read other requests between the last two calls of `pause`; true before the first one. */
  get hasReadRequests(): boolean {
    return this.#hasReadRequests;
  }

  /** To be called after each block but the last, with the number of the exports of the process. */
  async pause(exports: number): Promise<void> {
    const { active: busyMs, idle } = performance.eventLoopUtilization(this.#loop);
    const requests = this.#requestsRead();
    this.#hasReadRequests = requests > this.#requests;
    this.#requests = requests;
    const pauseMs = pauseAfterBlock({
      busyMs,
      elapsedMs: busyMs + idle,
      hasReadRequests: this.#hasReadRequests,
      exports,
    });
    if (pauseMs > 0) await this.#wait(pauseMs);
    // What others were served during the pause does not count: pauses would grow with it.
    this.#loop = performance.eventLoopUtilization();
  }
}
