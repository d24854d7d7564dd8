import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OverloadNotes } from '../../../application/ports/overload-notes.js';
import {
  ALWAYS_SERVED,
  emptyTimesAfter,
  ITERATION_BEGINS,
  type Iteration,
  type IterationProgress,
  isEarlyServed,
  isLeftUnread,
  isServed,
  isStanding,
  type PriorityTimes,
  progressed,
  type RequestPriority,
  type RetrySeconds,
  retrySeconds,
  timesAt,
  timesOf,
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
  /** When the last iteration ended. */
  #endedAt = 0;
  #progress: IterationProgress = ITERATION_BEGINS;
  #readSinceStart = 0;
  /** The requests of this iteration, and those of them that were refused. */
  #read = 0;
  #refused = 0;
  /** When a request of each priority was last refused, without those that were sent too early. */
  readonly #refusedAt: PriorityTimes = timesAt(Number.NEGATIVE_INFINITY);

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => performance.now());
    this.#iteration = { began: 0, emptyTimes: timesAt(0) };
    this.#endIteration = () => {
      const { began, emptyTimes } = this.#iteration;
      this.#isInIteration = false;
      this.#endedAt = this.#now();
      const times = timesOf(this.#progress, this.#endedAt - began);
      this.#iteration = { began, emptyTimes: emptyTimesAfter(emptyTimes, times, this.#endedAt) };
      parts.notes.iterationEnded(times.ms);
    };
  }

  readonly noteEmptied = (delayMs: number): void => this.#parts.notes.queueEmptied(delayMs);

  /** The requests that were read since the start, with those that were refused. */
  readonly requestsRead = (): number => this.#readSinceStart;

  /** Whether the request was refused. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.#isInIteration) this.#begin();
    this.#read += 1;
    this.#readSinceStart += 1;
    const isEarly = this.#early.includes(request.socket);
    if (!isEarly && this.#read <= ALWAYS_SERVED) return false;
    const priority = this.#parts.priorityOf(request);
    this.#progress = progressed(this.#progress, priority, this.#now() - this.#iteration.began);
    const isRepeated = isEarly && !isEarlyServed(this.#refusedAt[priority], this.#iteration);
    if (!isRepeated) {
      if (isServed(this.#progress, this.#iteration)) return false;
      this.#refusedAt[priority] = this.#iteration.began;
    }
    this.#refuse(request, response, priority);
    return true;
  }

  #refuse(request: IncomingMessage, response: ServerResponse, priority: RequestPriority): void {
    const { refuse, notes, isOfOneClient } = this.#parts;
    const retryAfter = retrySeconds(Math.random());
    this.#refused += 1;
    notes.refused(priority);
    refuse(response, retryAfter);
    // After a takeover the connection closes.
    if (isOfOneClient && isLeftUnread(priority, this.#refused) && takeoverOf(request) === null)
      this.#early.leaveUnread(request.socket, retryAfter);
  }

  /** An iteration that would begin now. */
  #iterationNow(): Iteration {
    const now = this.#now();
    const wasIdle = now - this.#endedAt > IDLE_MS;
    return { began: now, emptyTimes: wasIdle ? timesAt(now) : this.#iteration.emptyTimes };
  }

  #begin(): void {
    this.#isInIteration = true;
    this.#read = 0;
    this.#refused = 0;
    this.#progress = ITERATION_BEGINS;
    this.#iteration = this.#iterationNow();
    setImmediate(this.#endIteration);
  }
}
