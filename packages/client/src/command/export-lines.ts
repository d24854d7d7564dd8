import type { HistoryChange } from '../api.js';
import { OddswireError } from '../errors.js';
import type { History } from '../history.js';
import type { HistoryOptions } from '../options.js';
import { backoffMs, isTransient, retryDelayMs } from '../retry.js';
import type { Progress } from './export-progress.js';

/** The failures in a row after which an export ends, if the service does not say when to continue: about 3 minutes. */
const FAILURES_MAX = 10;
/** A quota of a day is waited for. */
const WAIT_MAX_MS = 25 * 3_600_000;

/** Why an export ends: it has its whole range, the caller stopped it, or the last failure. */
export type ExportOutcome = { readonly ended: 'complete' | 'stopped' } | { readonly failed: OddswireError };

type Parts = {
  /** A history over one connection, from a client without retries. */
  readonly history: (options: HistoryOptions) => History;
  readonly query: HistoryOptions;
  readonly progress: Progress;
  readonly random: () => number;
  /** Waits, and rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
};

/** Reads a history over any number of connections, and waits for as long as the service asks. */
export class ExportLines {
  readonly #parts: Parts;
  #after: string | undefined;
  outcome: ExportOutcome = { ended: 'stopped' };
  changes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#after = parts.query.after;
  }

  /** The last change that was read, also if the filter did not pass it; or the end of the range. */
  get position(): string | undefined {
    return this.#after;
  }

  /** Each change as one line. It ends without an exception, so that all lines before a failure are written. */
  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    for (let failures = 0; ; failures += 1) {
      const before = this.#after;
      const failure = yield* this.#readOnce();
      if (failure === null) return;
      if (this.#after !== before) failures = 0;
      const waitMs = this.#waitMs(failure, failures);
      if (waitMs === null) {
        this.outcome = { failed: failure };
        return;
      }
      this.#parts.progress.wait(failure, waitMs);
      if (!(await this.#pause(waitMs))) return;
    }
  }

  /** Null if there is nothing more to read. */
  async *#readOnce(): AsyncGenerator<string, OddswireError | null> {
    const { history: open, query, signal, progress } = this.#parts;
    const history = open({ ...query, after: this.#after, signal });
    try {
      for await (const change of history) {
        this.#after = history.position;
        yield this.#lineOf(change);
        progress.show(change);
      }
      this.outcome = { ended: 'complete' };
      return null;
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof OddswireError) return error;
      throw error;
    } finally {
      this.#after = history.position;
    }
  }

  #lineOf(change: HistoryChange): string {
    this.changes += 1;
    return `${JSON.stringify(change)}\n`;
  }

  #waitMs(failure: OddswireError, failures: number): number | null {
    if (!isTransient(failure)) return null;
    if (failure.retryAfterSeconds === null && failures >= FAILURES_MAX) return null;
    const random = this.#parts.random();
    const waitMs = retryDelayMs(failure, failures, WAIT_MAX_MS, random);
    // A service that names the same short time again and again is asked less often.
    return waitMs === null ? null : Math.max(waitMs, backoffMs(failures, random));
  }

  /** False if the caller stopped the export. */
  #pause(ms: number): Promise<boolean> {
    return this.#parts.pause(ms, this.#parts.signal).then(
      () => true,
      () => false,
    );
  }
}
