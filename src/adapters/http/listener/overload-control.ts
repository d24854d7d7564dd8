import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OverloadNotes } from '../../../application/ports/overload-notes.js';
import {
  emptyTimesAfter,
  ITERATION_BEGINS,
  type Iteration,
  type IterationProgress,
  isEarlyServed,
  isServed,
  isStanding,
  type PriorityTimes,
  progressed,
  type RequestPriority,
  type RetrySeconds,
  retrySeconds,
  SHARE_OF_ALL_MS,
  timesAt,
} from '../../../domain/limits/iteration-budget.js';
import { takeoverOf } from '../../fast-paths/takeover.js';
import { EarlyRepeats } from './early-repeats.js';

type Parts = {
  readonly priorityOf: (request: IncomingMessage) => RequestPriority;
  /** Writes 503 without any work on the request. */
  readonly refuse: (response: ServerResponse, retryAfter: RetrySeconds) => void;
  /** Whether a connection carries the requests of one client only, so that it may be left unread. */
  readonly isOfOneClient: boolean;
  readonly notes: OverloadNotes;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
};

/** Timers and other work between two iterations with requests take less; so a longer time was idle. */
const IDLE_MS = 50;

/**
 * Refuses what is read after the budget of an iteration of the event loop is used (D76, `domain/limits/iteration-budget.ts`).
 *
 * An iteration begins with the first request that is read in it, and ends with the check phase, in which `setImmediate` runs: all
 * that was ready has been read then.
 */
export class OverloadControl {
  readonly #parts: Parts;
  readonly #early = new EarlyRepeats(() => !isStanding('stranger', this.#iterationNow()));
  readonly #now: () => number;
  readonly #endIteration: () => void;
  #iteration: Iteration;
  #isInIteration = false;
  #endedAt = 0;
  #progress: IterationProgress = ITERATION_BEGINS;
  #read = 0;
  readonly #refusedAt: PriorityTimes = timesAt(Number.NEGATIVE_INFINITY);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#iteration = { began: 0, emptyTimes: timesAt(0) };
    this.#endIteration = () => {
      const { began, emptyTimes } = this.#iteration;
      this.#isInIteration = false;
      this.#endedAt = this.#now();
      const ms = this.#endedAt - began;
      this.#iteration = { began, emptyTimes: emptyTimesAfter(emptyTimes, ms, this.#endedAt) };
      parts.notes.iterationEnded(ms);
    };
  }

  readonly noteEmptied = (delayMs: number): void => this.#parts.notes.queueEmptied(delayMs);

  /** Whether the request was refused. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const usedMs = this.#usedMs();
    const isEarly = this.#early.includes(request.socket);
    if (!isEarly && usedMs <= SHARE_OF_ALL_MS) {
      this.#read += 1;
      return false;
    }
    const priority = this.#parts.priorityOf(request);
    // A wave of streams is no queue of others.
    if (priority !== 'stream') this.#read += 1;
    this.#progress = progressed(this.#progress, { priority, read: this.#read, usedMs });
    if (isEarly && !isEarlyServed(this.#refusedAt[priority], this.#iteration)) {
      this.#refuse(request, response, priority);
      return true;
    }
    if (isServed(this.#progress, this.#iteration)) return false;
    this.#refusedAt[priority] = this.#iteration.began;
    this.#refuse(request, response, priority);
    return true;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, priority: RequestPriority): void {
    const { refuse, notes, isOfOneClient } = this.#parts;
    const retryAfter = retrySeconds(Math.random());
    notes.refused(priority);
    refuse(response, retryAfter);
    // After a takeover the connection closes.
    if (isOfOneClient && takeoverOf(request) === null) this.#early.leaveUnread(request.socket, retryAfter);
  }

  /** An iteration that would begin now. */
  #iterationNow(): Iteration {
    const now = this.#now();
    const wasIdle = now - this.#endedAt > IDLE_MS;
    return { began: now, emptyTimes: wasIdle ? timesAt(now) : this.#iteration.emptyTimes };
  }

  /** Begins an iteration if none has begun. */
  #usedMs(): number {
    if (this.#isInIteration) return this.#now() - this.#iteration.began;
    this.#isInIteration = true;
    this.#progress = ITERATION_BEGINS;
    this.#read = 0;
    this.#iteration = this.#iterationNow();
    setImmediate(this.#endIteration);
    return 0;
  }
}
