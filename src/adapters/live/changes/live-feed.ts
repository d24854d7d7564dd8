import { andThen, type MaybePromise } from '../../../application/maybe-promise.js';
import type { FeedHistory, StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { FollowedFeed } from '../../../application/ports/feed/followed-feed.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { Unavailable, unlessUnavailable } from '../../../application/unavailable.js';
import { headAfter } from '../../../domain/feed/head-after.js';
import { type Position, samePosition } from '../../../domain/feed/position.js';
import { positionState } from '../../../domain/feed/stream-start.js';
import type { Moment } from '../../../domain/moment.js';
import { BatchedCalls } from '../../batching/batched-calls.js';
import { Listeners } from '../../listeners/listeners.js';
import { ChangeBlocks, isCut } from './change-blocks.js';
import { ChangeEntry } from './change-entry.js';
import { ChangeWindow } from './change-window.js';

const MEGABYTE = 1_000_000;
const WINDOW_BYTES = 32 * MEGABYTE;
const BLOCKS_BYTES = 32 * MEGABYTE;
/** The most bytes of items that one read returns; the last item may exceed it. */
const READ_BYTES = 8 * MEGABYTE;

/** The most changes that are read back into the window at the start. */
const FILL_CHANGES = 2_000;
const FILL_READ = 100;

/** The most positions that one read looks up. */
const LOOK_UPS_PER_READ = 1_000;

/** A change. `gone`: the log no longer has it. Undefined: this process has not applied it yet. */
export type FoundEntry = ChangeEntry | 'gone' | undefined;

type Options = {
  readonly history: Pick<FeedHistory, 'changes' | 'positionsOf'>;
  /** Resolves when the changes of a read that began after the call were added. Throws `Unavailable`. */
  readonly readNow: () => Promise<void>;
  readonly now: MonotonicClock;
  readonly windowBytes?: number;
  readonly blocksBytes?: number;
};

/**
 * The changes of the feed as this process follows them, for streams. The newest changes are in memory; older ones are read
 * from the log in blocks.
 */
export class LiveFeed implements FollowedFeed {
  readonly #options: Options;
  readonly #window: ChangeWindow;
  readonly #blocks: ChangeBlocks;
  readonly #windowBytes: number;
  readonly #entries = new Listeners<readonly ChangeEntry[]>();
  readonly #rebuilds = new Listeners<void>();
  readonly #heads = new Listeners<void>();
  /** Undefined: it is not known yet. */
  #head: Moment | null | undefined;
  /** The log has no older change. */
  #oldest = 0;
  readonly #lookUps: BatchedCalls<number, Position | null>;
  #generation = 0;

  constructor(options: Options) {
    const { now, windowBytes = WINDOW_BYTES, blocksBytes = BLOCKS_BYTES } = options;
    this.#options = options;
    this.#windowBytes = windowBytes;
    this.#window = new ChangeWindow(windowBytes, now);
    this.#lookUps = new BatchedCalls({
      callsMax: LOOK_UPS_PER_READ,
      concurrentMax: 1,
      run: (numbers) => this.#readPositions(numbers),
    });
    this.#blocks = new ChangeBlocks({
      read: (first, count) => this.#read(first, count),
      newest: () => this.#window.newestNumber,
      now,
      maxBytes: blocksBytes,
    });
  }

  /** The last change that this process has applied; null before the first read of the log. */
  get position(): Position | null {
    return this.#window.newest;
  }

  get state(): { readonly position: Position; readonly head: Moment | null } | null {
    const position = this.#window.newest;
    return position === null || this.#head === undefined ? null : { position, head: this.#head };
  }

  /** The memory of the newest changes, and of the blocks of older ones, with their frames. */
  get bytes(): { readonly changes: number; readonly blocks: number } {
    return { changes: this.#window.bytes, blocks: this.#blocks.bytes };
  }

  readNow(): Promise<void> {
    return this.#options.readNow();
  }

  stateOf(position: Position): MaybePromise<'valid' | 'ahead' | 'expired'> {
    const newest = this.#window.newest;
    if (newest === null) throw new Unavailable('the change log of the feed');
    return andThen(this.#storedAt(position.n), (stored) =>
      positionState(position, { oldest: this.#oldest, newest: this.#window.newest ?? newest }, stored),
    );
  }

  /** Changes from the window and from cached blocks are returned at once. Throws `Unavailable`. */
  entry(n: number): MaybePromise<FoundEntry> {
    if (n > this.#window.newestNumber) return undefined;
    const found = this.#window.entry(n);
    if (found !== 'below') return found;
    return n < this.#oldest ? 'gone' : this.#blocks.entry(n);
  }

  /** Called with the new changes, oldest first. Returns a function that removes the listener. */
  onEntries(listener: (entries: readonly ChangeEntry[]) => void): () => void {
    return this.#entries.add(listener);
  }

  /**
   * Called when the store has returned to an older state, or when changes were missed: a position may not be valid any
   * more, and entries that were returned before may not be in the log. Returns a function that removes the listener.
   */
  onRebuild(listener: () => void): () => void {
    return this.#rebuilds.add(listener);
  }

  /** Adds changes in the order of the log, without gaps. */
  add(changes: readonly StoredChange[]): void {
    const entries = this.#window.add(changes);
    if (entries.length === 0) return;
    for (const { id, n } of entries) if (id !== null) this.#blocks.supersede(id, n);
    for (const change of changes) if (this.#head !== undefined) this.#head = headAfter(this.#head, change);
    this.#entries.notify(entries);
  }

  /** Drops all changes. The next one follows `position`. `head` is the greatest head that was seen; null if none was. */
  rebuild(position: Position, head: Moment | null): void {
    this.#generation += 1;
    this.#oldest = 0;
    this.#head = head ?? undefined;
    this.#window.reset(position);
    this.#blocks.reset();
    this.#rebuilds.notify();
  }

  /** Sets the head after the newest change, once it is read. Null: the feed has none. */
  noteHead(head: Moment | null): void {
    this.#head = head;
    this.#heads.notify();
  }

  /**
   * Reads the newest changes back, and waits for the head, so that the first streams need not. Does nothing while the
   * store is unavailable: the changes are then read in blocks.
   */
  async fill(): Promise<void> {
    if (this.#window.newest === null) return;
    await Promise.all([this.#readBack().catch(unlessUnavailable), this.#untilHead()]);
  }

  async #readBack(): Promise<void> {
    const generation = this.#generation;
    let count = FILL_READ;
    for (;;) {
      const { oldestNumber, size, bytes } = this.#window;
      if (size >= FILL_CHANGES || bytes * 2 >= this.#windowBytes) return;
      const changes = await this.#read(oldestNumber - count, count);
      if (this.#generation !== generation) return;
      if (count > 1 && isCut(changes, oldestNumber - 1)) {
        count = Math.ceil(count / 10);
        continue;
      }
      this.#window.prepend(changes);
      // The log has no older changes, or the changes that were added meanwhile left no room for these.
      if (this.#window.oldestNumber <= this.#oldest || this.#window.oldestNumber >= oldestNumber) return;
    }
  }

  async #untilHead(): Promise<void> {
    if (this.#head !== undefined) return;
    await new Promise<void>((done) => {
      const remove = this.#heads.add(() => {
        remove();
        done();
      });
    });
  }

  /** A position outside the window may be invented: it costs one row, and not the block of its change. */
  #storedAt(n: number): MaybePromise<Position | null> {
    const { newest, newestNumber } = this.#window;
    if (newest !== null && n === newestNumber) return newest;
    if (n > newestNumber) return null;
    const entry = this.#window.entry(n);
    if (entry !== 'below') return entry?.position ?? null;
    return n < this.#oldest ? null : this.#lookUps.call(n);
  }

  /** Null for each number that the log has no change of. */
  async #readPositions(numbers: readonly number[]): Promise<readonly (Position | null)[]> {
    for (;;) {
      const read = await this.readApplied(() => this.#options.history.positionsOf([...new Set(numbers)]));
      if (read === null) continue; // This feed was rebuilt meanwhile.
      this.#oldest = Math.max(this.#oldest, read.oldest);
      return numbers.map((n) => read.positions.get(n) ?? null);
    }
  }

  async #read(first: number, count: number): Promise<readonly StoredChange[]> {
    const log = await this.readApplied(() => this.#options.history.changes(first, count, READ_BYTES));
    if (log === null) return [];
    this.#oldest = Math.max(this.#oldest, log.oldest);
    return log.changes;
  }

  /**
   * Reads from the store. Null if this feed was rebuilt meanwhile. Throws `Unavailable` unless this process has applied every
   * change that the store had.
   *
   * If the log has another newest change than this process, it may be the log of an older state: then the
   * next read of the follower notices this, and rebuilds this feed before the changes are used (D45). If it does not,
   * and the log ends before the changes that were applied already, a server has answered that lags behind. If its newest
   * change is not applied after that read, that change is lost, and items may be missing for lost changes.
   */
  async readApplied<Part extends { readonly newest: Position }>(
    read: () => Promise<Part>,
  ): Promise<Part | null> {
    const [generation, applied] = [this.#generation, this.#window.newestNumber];
    const answer = await read();
    const { newest } = answer;
    if (!samePosition(newest, this.#window.newest)) await this.#options.readNow();
    if (this.#generation !== generation) return null;
    const why =
      newest.n < applied
        ? 'the server lags behind'
        : newest.n > applied && !this.#isApplied(newest)
          ? 'its newest change is not applied'
          : null;
    if (why !== null) throw new Unavailable('the change log of the feed', new Error(why));
    return answer;
  }

  /** Whether this change is applied. False for a change below the window. */
  #isApplied(position: Position): boolean {
    if (samePosition(position, this.#window.newest)) return true;
    const entry = this.#window.entry(position.n);
    return entry instanceof ChangeEntry && samePosition(entry.position, position);
  }
}
