import type {
  AccountChange,
  ChangeLogs,
  FeedChange,
  LogPositions,
} from '../../application/ports/change-logs.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Position } from '../../domain/feed/position.js';
import { Listeners } from '../listeners/listeners.js';
import { type CopyUse, copyUse, isCurrent, type PageSource, pageSource } from './copy-use.js';

/** The interval of the reads. If a message between instances is lost, copies are late by at most this time. */
const READ_EVERY_MS = 500;

/** A part of the process that keeps copies of stored data. */
export type Copies = {
  /** Applies the changes of one read. Called after each read, also without changes. */
  readonly apply: (changes: {
    readonly accounts: readonly AccountChange[];
    readonly feed: readonly FeedChange[];
  }) => void;
  /** Drops all copies, because changes are missing. Copies that are loaded later have every change up to `feed`. */
  readonly rebuild: (feed: Position) => void;
};

/** The pauses of this process. */
export type Pauses = {
  lastWokeAt(): number | null;
  onWake(listener: () => void): () => void;
};

type Options = {
  readonly logs: ChangeLogs;
  readonly now: MonotonicClock;
  readonly pauses: Pauses;
  readonly isStoreAway: () => boolean;
  /** Called once when the store has returned to an older state, before copies are rebuilt (D45). */
  readonly onOlderState: () => void;
  /**
   * Gets the error of the first read that fails, and of the next one after a read that succeeded, unless the store is away,
   * which the breaker logs. The reads go on.
   */
  readonly report: (fault: unknown) => void;
};

/**
 * Keeps the copies of a process current: it reads the logs of changes every 0.5 s, and at once when a message between
 * instances says that there are changes. One read runs at a time, except after a pause of the process.
 *
 * States:
 * - `idle`: no read is under way. A timer begins the next one, 0.5 s after the start of the last one;
 * - `reading`: `#read` is under way. `#isReadWanted`: another one follows at once;
 * - `closed`: nothing is read any more.
 *
 * Transitions:
 * - `idle` → `reading`: the start, the timer, `readSoon`, or the end of a pause;
 * - `reading` → `idle`: the read has ended, also if it failed;
 * - `reading` → `reading`: another read was wanted, there are more changes, or the copies were rebuilt. After a pause the read is
 *   given up and another one begins: what it still answers changes nothing;
 * - any → `closed`: `close`.
 *
 * In each of them, `#positions` are the last changes that the copies have. They are null before the first read, and once copies may
 * have missed a change: the next read then rebuilds the copies.
 */
export class ChangeFollower {
  readonly #options: Options;
  readonly #copies: Copies[] = [];
  readonly #ends = new Listeners<void>();
  readonly #olderStates = new Listeners<void>();
  #positions: LogPositions | null = null;
  #readAt: number | null = null;
  #failedAt: number | null = null;
  /** The read under way. The identity tells whether a newer one has replaced it. */
  #read: { readonly beganAt: number } | null = null;
  #isReadWanted = false;
  #isFailureReported = false;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => {};
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Adds copies before the start. */
  keep(copies: Copies): void {
    this.#copies.push(copies);
  }

  /** Calls the listener when the store has returned to an older state (D45). Returns a function that removes it. */
  whenOlderState(listener: () => void): () => void {
    return this.#olderStates.add(listener);
  }

  /** Resolves after the first read, also if it fails. Afterwards the reads go on in the background. */
  async start(): Promise<void> {
    // A pause before the first read changes nothing for it.
    this.#options.pauses.lastWokeAt();
    this.#stopListening = this.#options.pauses.onWake(() => void this.#begin());
    await this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#ends.notify();
  }

  /** Milliseconds since the start of the last complete read; null before the first one. */
  get age(): number | null {
    return this.#readAt === null ? null : this.#options.now() - this.#readAt;
  }

  /** The start of the last complete read: copies that existed then had all changes that were committed before it. */
  get readAt(): number | null {
    return this.#readAt;
  }

  /** The last changes that were applied to the copies; null while they are not known. */
  get positions(): LogPositions | null {
    return this.#positions;
  }

  /** Whether copies may be used at `now`, by the monotonic clock. */
  isCurrent(now: number): boolean {
    return isCurrent(this.#readAt, now);
  }

  /** Whether copies may be used. Waits for a read if the rule says so, but not after `close`. */
  async untilCurrent(): Promise<boolean> {
    for (;;) {
      const use = this.use();
      if (typeof use === 'string' || this.#isClosed) return use === 'current';
      if (this.#read === null) void this.#begin();
      await this.#endOrTime(use.waitUntil);
    }
  }

  use(): CopyUse {
    const { now, pauses, isStoreAway } = this.#options;
    const wokeAt = pauses.lastWokeAt();
    const [readAt, failedAt, beganAt] = [this.#readAt, this.#failedAt, this.#read?.beganAt ?? null];
    return copyUse({ readAt, failedAt, beganAt, wokeAt, isStoreAway: isStoreAway() }, now());
  }

  /** Where a page comes from whose items are in the copy, which has all changes of the read that began at `appliedAt`. */
  pageSource(appliedAt: number | null): PageSource {
    const { now, isStoreAway } = this.#options;
    return pageSource(this.use(), isStoreAway(), isCurrent(appliedAt, now()));
  }

  /** Reads as soon as possible, because there are changes. Calls during a read lead to one more read. */
  readSoon(): void {
    if (this.#read === null) void this.#begin();
    else this.#isReadWanted = true;
  }

  /** Resolves after a complete read that began after this call; throws `Unavailable` if it fails, or after `close`. */
  async readNow(): Promise<void> {
    if (!(await this.#readAfter(this.#options.now(), null))) throw new Unavailable('the change logs');
  }

  /** Whether a read that began after this call is complete within `waitMs`. False at once if copies are outdated. */
  async readWithin(waitMs: number): Promise<boolean> {
    if (this.use() === 'outdated') return false;
    const calledAt = this.#options.now();
    return this.#readAfter(calledAt, calledAt + waitMs);
  }

  /** False if the read fails or is not complete by then, and after `close`. */
  async #readAfter(calledAt: number, until: number | null): Promise<boolean> {
    this.readSoon();
    for (;;) {
      if (this.#readAt !== null && this.#readAt >= calledAt) return true;
      const hasFailed = this.#failedAt !== null && this.#failedAt >= calledAt;
      if (hasFailed || this.#isClosed || (until !== null && this.#options.now() >= until)) return false;
      await (until === null ? this.#end() : this.#endOrTime(until));
    }
  }

  /** Starts a read. A read that is under way is given up. */
  async #begin(): Promise<void> {
    if (this.#isClosed || this.#hasBegunAfterPause()) return;
    clearTimeout(this.#timer);
    this.#isReadWanted = false;
    const read = { beganAt: this.#options.now() };
    this.#read = read;
    let isComplete = true;
    try {
      isComplete = await this.#readOnce(read);
      if (this.#read === read && isComplete) {
        this.#readAt = read.beganAt;
        this.#isFailureReported = false;
      }
    } catch (fault) {
      this.#noteFailure(read, fault);
    }
    if (this.#read !== read) return;
    this.#read = null;
    this.#schedule(read.beganAt, isComplete);
    this.#ends.notify();
  }

  /**
   * Whether a pause is noticed only now, and its read has begun. Were it noticed in the course of a read, that read would give up
   * the one that begins after the pause, whose failure would say that the store cannot be read.
   */
  #hasBegunAfterPause(): boolean {
    const before = this.#read;
    this.#options.pauses.lastWokeAt();
    return this.#read !== before;
  }

  #noteFailure(read: { readonly beganAt: number }, fault: unknown): void {
    if (this.#read !== read) return;
    const wasRead = this.#failedAt === null || (this.#readAt !== null && this.#readAt > this.#failedAt);
    // A single read that fails is no reason to wake somebody: the next one is half a second later.
    const isWorthReporting = !(fault instanceof Unavailable) || (!wasRead && !this.#options.isStoreAway());
    this.#failedAt = read.beganAt;
    if (!isWorthReporting || this.#isFailureReported) return;
    this.#isFailureReported = true;
    this.#options.report(fault);
  }

  #schedule(beganAt: number, isComplete: boolean): void {
    if (this.#isReadWanted || !isComplete) return void this.#begin();
    const dueIn = beganAt + READ_EVERY_MS - this.#options.now();
    this.#timer = setTimeout(() => void this.#begin(), Math.max(0, dueIn));
    this.#timer.unref();
  }

  /** False if there are more changes to read, or if the copies are new. Changes nothing if the read was given up. */
  async #readOnce(read: object): Promise<boolean> {
    const { logs, onOlderState } = this.#options;
    if (this.#positions === null) {
      await this.#rebuild(read);
      return false;
    }
    const answer = await logs.readAfter(this.#positions);
    if (this.#read !== read) return false;
    if (answer.found === 'changes') {
      // If this throws, some copies miss changes. Without positions, the next read rebuilds them.
      this.#positions = null;
      for (const copies of this.#copies) copies.apply(answer);
      this.#positions = answer.positions;
      return answer.isComplete;
    }
    // At once, because a key may have another state now. The rest takes longer.
    for (const copies of this.#copies) copies.apply({ accounts: [{ keys: 'all' }], feed: [] });
    if (answer.found === 'older state') {
      onOlderState();
      this.#olderStates.notify();
    }
    // A rebuild that fails is tried again by the next read, which must not find the same again.
    this.#positions = null;
    await this.#rebuild(read);
    return false;
  }

  /** Notes the newest positions before the copies are dropped: what is loaded afterwards has every earlier change. */
  async #rebuild(read: object): Promise<void> {
    const positions = await this.#options.logs.newest();
    if (this.#read !== read) return;
    this.#positions = positions;
    for (const copies of this.#copies) copies.rebuild(positions.feed);
  }

  #end(): Promise<void> {
    return new Promise((done) => {
      const remove = this.#ends.add(() => {
        remove();
        done();
      });
    });
  }

  #endOrTime(until: number): Promise<void> {
    return new Promise((done) => {
      const end = () => {
        remove();
        clearTimeout(timer);
        done();
      };
      const remove = this.#ends.add(end);
      // An answer that has arrived already must count, so the event loop reads the sockets first (T17).
      const timer = setTimeout(() => setImmediate(end), until - this.#options.now());
    });
  }
}
