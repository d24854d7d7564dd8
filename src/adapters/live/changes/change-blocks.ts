import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../../application/maybe-promise.js';
import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { ChangeEntry } from './change-entry.js';
import { LatestChanges } from './latest-changes.js';

/** Block `k` has the changes from 100 k + 1 to 100 k + 100. */
const BLOCK_CHANGES = 100;
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
  /** Reads changes from the log that this process follows; older ones that the log no longer has are left out. */
  readonly read: (first: number, count: number) => Promise<readonly StoredChange[]>;
  /** The number of the newest change that this process has applied. */
  readonly newest: () => number;
  readonly now: MonotonicClock;
  /** The most bytes of items and frames. The block that was used last stays, whatever its size. */
  readonly maxBytes: number;
};

/**
 * Older changes, in blocks. A block is read once for all streams that need it, and kept while there is room for it.
 */
export class ChangeBlocks {
  readonly #options: Options;
  readonly #blocks: LRUCache<number, Block>;
  readonly #latest = new LatestChanges();
  readonly #reads = new Map<number, Promise<Block>>();
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
      dispose: (block, _, reason) => reason !== 'delete' && this.#forget(block),
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
    const block = this.#blocks.get(blockOf(n));
    return block !== undefined && n <= block.upTo ? entryIn(block, n) : this.#find(n);
  }

  /** Supersedes the changes of an item that are older than change `n`, also those that are being read. */
  supersede(id: string, n: number): void {
    this.#latest.supersede(id, n);
    for (const changed of this.#changedDuring) changed.set(id, n);
  }

  /** Drops all blocks. Reads that are under way begin again. */
  reset(): void {
    this.#resets += 1;
    for (const block of this.#blocks.values()) this.#forget(block);
    this.#blocks.clear();
  }

  async #find(n: number): Promise<ChangeEntry | 'gone' | undefined> {
    while (n <= this.#options.newest()) {
      // A read that began before change `n` was applied does not have it.
      const block = await this.#shared(blockOf(n));
      if (n <= block.upTo) return entryIn(block, n);
    }
    return undefined;
  }

  /** Concurrent callers share one read. */
  #shared(k: number): Promise<Block> {
    const known = this.#reads.get(k);
    if (known !== undefined) return known;
    const read = this.#read(k).finally(() => this.#reads.delete(k));
    this.#reads.set(k, read);
    return read;
  }

  async #read(k: number): Promise<Block> {
    if (this.#running === READS_MAX) await new Promise<void>((start) => this.#waiting.push(start));
    else this.#running += 1;
    try {
      let block: Block | undefined;
      while (block === undefined) block = await this.#readOnce(k);
      return block;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Undefined if the blocks were reset meanwhile. */
  async #readOnce(k: number): Promise<Block | undefined> {
    const { read, newest, now } = this.#options;
    const resets = this.#resets;
    const first = k * BLOCK_CHANGES + 1;
    const upTo = Math.min(first + BLOCK_CHANGES - 1, newest());
    if (upTo < first) return { upTo, entries: [] };
    const changed = new Map<string, number>();
    this.#changedDuring.add(changed);
    try {
      const changes = await read(first, upTo - first + 1);
      if (this.#resets !== resets) return undefined;
      const at = now();
      const block = { upTo, entries: changes.map((change) => new ChangeEntry(change, at)) };
      this.#keep(k, block, changed);
      return block;
    } finally {
      this.#changedDuring.delete(changed);
    }
  }

  #keep(k: number, block: Block, changed: ReadonlyMap<string, number>): void {
    for (const entry of block.entries) {
      if (entry.id !== null && (changed.get(entry.id) ?? entry.n) > entry.n) entry.supersede();
    }
    this.#blocks.set(k, block);
    for (const entry of block.entries) {
      this.#latest.add(entry);
      // Not when it shrinks: that is no use of the block.
      entry.onGrowth((bytes) => bytes > 0 && this.#resize(k, block));
    }
  }

  /** The cache reads the size of an object only when it is added. Called only while it has this block. */
  #resize(k: number, block: Block): void {
    this.#blocks.delete(k);
    this.#blocks.set(k, block);
  }

  #forget({ entries }: Block): void {
    for (const entry of entries) {
      entry.onGrowth(() => {});
      this.#latest.remove(entry);
    }
  }
}

const blockOf = (n: number): number => Math.ceil(n / BLOCK_CHANGES) - 1;

const entryIn = ({ entries }: Block, n: number): ChangeEntry | 'gone' =>
  entries[n - (entries[0]?.n ?? n + 1)] ?? 'gone';

const bytesOf = ({ entries }: Block): number => entries.reduce((sum, { bytes }) => sum + bytes, 1);
