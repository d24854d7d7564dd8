import type { HistoryChange } from './api.js';
import { checkQuery, HISTORY } from './check-query.js';
import { failureIn, type OddswireError } from './errors.js';
import type { History } from './history.js';
import { linesOnce } from './history-lines.js';
import type { HistoryOptions } from './options.js';
import { Resume } from './resume.js';
import type { Transport } from './transport.js';

/** Reads a history over any number of connections. */
export class HistoryReader implements History {
  readonly #transport: Transport;
  readonly #resume: Resume;
  readonly #signal: AbortSignal | undefined;

  constructor(transport: Transport, { signal, ...query }: HistoryOptions) {
    this.#transport = transport;
    this.#resume = new Resume(query);
    this.#signal = signal;
  }

  get position(): string | undefined {
    return this.#resume.position;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HistoryChange, void> {
    checkQuery(this.#resume.query, HISTORY);
    for (let attempt = 0; ; attempt += 1) {
      const before = this.position;
      const failure = yield* this.#readOnce();
      if (failure === null) return;
      if (this.position !== before) attempt = 0;
      const ms = this.#transport.retryMs(failure, attempt);
      if (ms === null) throw failure;
      await this.#transport.waitAfter(failure, ms, this.#signal);
    }
  }

  /** Null at the end of the range. */
  async *#readOnce(): AsyncGenerator<HistoryChange, OddswireError | null> {
    try {
      return yield* linesOnce(this.#transport, this.#resume, this.#signal);
    } catch (error) {
      return failureIn(error);
    }
  }
}
