import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../../application/maybe-promise.js';
import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { ChangeEntry } from './change-entry.js';
import { HeldBlocks } from './held-blocks.js';
import { LatestChanges } from './latest-changes.js';

/**
 * Blocks of size `s` have the changes from s k + 1 to s k + s. A block whose items have more bytes than one read may have is
 * divided: its changes are read in blocks of the next size. A single change is always read whole.
 */
const SIZES = [100, 10, 1] as const;
/** So that streams that resume do not slow down the store. */
const READS_MAX = 2;

/** The log no longer has a change that is not in `entries`, if its number is at most `upTo`. */
type Block = {
  /** The greatest number that was read. */
  readonly upTo: number;
  /** Without gaps, oldest first. */
  readonly entries: readonly ChangeEntry[];
};

type Options = {
  /**
   * Reads changes from the log that this process follows; older ones that the log no longer has are left out. Ends early
   * when it has as many bytes as one read may have, but has at least one change.
   */
  readonly read: (first: number, count: number) => Promise<readonly StoredChange[]>;
  /** The number of the newest change that this process has applied. */
  readonly newest: () => number;
  readonly now: MonotonicClock;
  /** The most bytes of items and frames. A block that is larger when it is read stays until another one is used. */
  readonly maxBytes: number;
};

/**
 * Older changes, in blocks. A block is read once for all streams that need it, and kept while there is room for it. Besides
 * the blocks, the memory has at most what two reads return.
 */
export class ChangeBlocks {
  readonly #options: Options;
  readonly #blocks: LRUCache<number, Block>;
  /** The blocks that are divided. Until a reset, so that no change is in blocks of two sizes. */
  readonly #divided = new Set<number>();
  readonly #latest = new LatestChanges();
  readonly #reads = new Map<number, { readonly block: Promise<Block | undefined>; callers: number }>();
  readonly #held = new HeldBlocks<Block>();
  /** The changes that were applied during each read: their ids and numbers. */
  readonly #changedDuring = new Set<Map<string, number>>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #resets = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#blocks = new LRUCache<number, Block>({
      maxSize: options.maxBytes,
      sizeCalculation: (block) => Math.min(bytesOf(block), options.maxBytes),
      // A block that is deleted is added again with its new size.
      dispose: (block, _, reason) => reason !== 'delete' && !this.#held.has(block) && this.#forget(block),
    });
  }

  /** The bytes of items and frames in all blocks. */
  get bytes(): number {
    return this.#blocks.calculatedSize;
  }

  /**
   * `gone`: the log no longer has this change. Undefined: this process has not applied it yet. Throws `Unavailable`; the
   * caller waits before it tries again.
   */
  entry(n: number): MaybePromise<ChangeEntry | 'gone' | undefined> {
    const key = keyOf(n, this.#levelOf(n));
    const held = this.#held.use(key);
    const block = this.#blocks.get(key) ?? held;
    return block !== undefined && n <= block.upTo ? entryIn(block, n) : this.#find(n);
  }

  /** Supersedes the changes of an item that are older than change `n`, also those that are being read. */
  supersede(id: string, n: number): void {
    this.#latest.supersede(id, n);
    for (const changed of this.#changedDuring) changed.set(id, n);
  }

  /** Drops all blocks. Callers whose reads are under way read again. */
  reset(): void {
    this.#resets += 1;
    this.#divided.clear();
    this.#held.clear();
    for (const block of this.#blocks.values()) this.#forget(block);
    this.#blocks.clear();
  }

  /** The level of the blocks in which this change is read, as far as is known. */
  #levelOf(n: number): number {
    let level = 0;
    while (this.#divided.has(keyOf(n, level))) level += 1;
    return level;
  }

  async #find(n: number): Promise<ChangeEntry | 'gone' | undefined> {
    while (n <= this.#options.newest()) {
      // A read that began before change `n` was applied does not have it.
      const block = await this.#shared(n, this.#levelOf(n));
      if (block !== undefined && n <= block.upTo) return entryIn(block, n);
    }
    return undefined;
  }

  /** Concurrent callers share one read. Undefined: the block is divided, or all blocks were reset. */
  #shared(n: number, level: number): Promise<Block | undefined> {
    const key = keyOf(n, level);
    const known = this.#reads.get(key);
    if (known !== undefined) {
      known.callers += 1;
      return known.block;
    }
    const block = this.#read(n, level).finally(() => this.#reads.delete(key));
    this.#reads.set(key, { block, callers: 1 });
    return block;
  }

  async #read(n: number, level: number): Promise<Block | undefined> {
    if (this.#running === READS_MAX) await new Promise<void>((start) => this.#waiting.push(start));
    else this.#running += 1;
    let held: Promise<void> | null = null;
    try {
      const before = this.#blocks.size;
      const block = await this.#readOnce(n, level);
      // Only if there was no room: the callers come back for it, and another read may drop it before that.
      if (block !== undefined && this.#blocks.size <= before) held = this.#hold(keyOf(n, level), block);
      return block;
    } finally {
      if (held === null) this.#endRead();
      else void held.then(() => this.#endRead());
    }
  }

  #endRead(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  async #hold(key: number, block: Block): Promise<void> {
    await this.#held.hold(key, block, this.#reads.get(key)?.callers ?? 1);
    if (this.#blocks.peek(key) !== block) this.#forget(block);
  }

  async #readOnce(n: number, level: number): Promise<Block | undefined> {
    const { read, newest, now } = this.#options;
    const resets = this.#resets;
    const size = sizeOf(level);
    const first = indexOf(n, size) * size + 1;
    const upTo = Math.min(first + size - 1, newest());
    if (upTo < first) return { upTo, entries: [] };
    const changed = new Map<string, number>();
    this.#changedDuring.add(changed);
    try {
      const changes = await read(first, upTo - first + 1);
      if (this.#resets !== resets) return undefined;
      if (isCut(changes, upTo)) {
        this.#divide(keyOf(n, level));
        return undefined;
      }
      const at = now();
      const block = { upTo, entries: changes.map((change) => new ChangeEntry(change, at)) };
      this.#keep(keyOf(n, level), block, changed);
      return block;
    } finally {
      this.#changedDuring.delete(changed);
    }
  }

  #divide(key: number): void {
    this.#divided.add(key);
    // It was small enough when the log had fewer of its changes.
    const block = this.#blocks.peek(key);
    if (block === undefined) return;
    this.#blocks.delete(key);
    this.#forget(block);
  }

  #keep(key: number, block: Block, changed: ReadonlyMap<string, number>): void {
    for (const entry of block.entries) {
      if (entry.id !== null && (changed.get(entry.id) ?? entry.n) > entry.n) entry.supersede();
    }
    this.#blocks.set(key, block);
    for (const entry of block.entries) {
      this.#latest.add(entry);
      // Not when it shrinks: that is no use of the block.
      entry.onGrowth((bytes) => bytes > 0 && this.#resize(key, block));
    }
  }

  /**
   * The cache reads the size of an object only when it is added. A block that outgrows the limit is dropped with its frames:
   * the next caller reads it again.
   */
  #resize(key: number, block: Block): void {
    if (this.#blocks.peek(key) !== block) return;
    this.#blocks.delete(key);
    if (bytesOf(block) > this.#options.maxBytes) this.#forget(block);
    else this.#blocks.set(key, block);
  }

  #forget({ entries }: Block): void {
    for (const entry of entries) {
      entry.onGrowth(() => {});
      this.#latest.remove(entry);
    }
  }
}

const sizeOf = (level: number): number => SIZES[level] ?? 1;

const indexOf = (n: number, size: number): number => Math.ceil(n / size) - 1;

/** Different for all blocks of all sizes. */
const keyOf = (n: number, level: number): number => indexOf(n, sizeOf(level)) * SIZES.length + level;

/** Whether a read ended before change `upTo`, because its items are large. */
export function isCut(changes: readonly StoredChange[], upTo: number): boolean {
  const last = changes.at(-1);
  return last !== undefined && last.position.n < upTo;
}

const entryIn = ({ entries }: Block, n: number): ChangeEntry | 'gone' =>
  entries[n - (entries[0]?.n ?? n + 1)] ?? 'gone';

const bytesOf = ({ entries }: Block): number => entries.reduce((sum, { bytes }) => sum + bytes, 1);
