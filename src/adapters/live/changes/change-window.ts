import type { StoredChange } from '../../../application/ports/feed/feed-history.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import type { Position } from '../../../domain/feed/position.js';
import { ChangeEntry } from './change-entry.js';
import { LatestChanges } from './latest-changes.js';

/** The list is copied without its removed start once this many were removed, and half of it. */
const REMOVED_MIN = 1_000;

/**
 * The newest changes of the log, with contiguous numbers, up to a number of bytes of items and frames. The newest change
 * stays, whatever its size.
 */
export class ChangeWindow {
  readonly #maxBytes: number;
  readonly #now: MonotonicClock;
  readonly #latest = new LatestChanges();
  /** Oldest first. The first `#removed` places are empty. */
  #entries: (ChangeEntry | undefined)[] = [];
  #removed = 0;
  #bytes = 0;
  #newest: Position | null = null;

  constructor(maxBytes: number, now: MonotonicClock) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /** The last change that this process has applied; null before the first `reset`. */
  get newest(): Position | null {
    return this.#newest;
  }

  /** The number of `newest`; -1 before the first `reset`. */
  get newestNumber(): number {
    return this.#newest?.n ?? -1;
  }

  /** The number of the oldest change in the window; one above the newest change if the window is empty. */
  get oldestNumber(): number {
    return this.newestNumber - this.size + 1;
  }

  get size(): number {
    return this.#entries.length - this.#removed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Drops all entries. The next change is the one after `position`. */
  reset(position: Position): void {
    for (const entry of this.#entries) entry?.onGrowth(() => {});
    this.#entries = [];
    this.#removed = 0;
    this.#bytes = 0;
    this.#latest.clear();
    this.#newest = position;
  }

  /** Adds the changes that follow the newest one. Returns their entries. */
  add(changes: readonly StoredChange[]): readonly ChangeEntry[] {
    const entries = this.#entriesOf(changes);
    const [first] = entries;
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return [];
    if (this.#newest === null || first.n !== this.newestNumber + 1 || !isContiguous(entries))
      throw new Error(`changes from ${first.n} to ${last.n} do not follow ${this.#newest?.n}`);
    this.#newest = last.position;
    for (const entry of entries) this.#entries.push(entry);
    this.#keep(entries);
    return entries;
  }

  /** Adds the changes that precede the oldest one, unless the window was trimmed or has these meanwhile. */
  prepend(changes: readonly StoredChange[]): void {
    const entries = this.#entriesOf(changes);
    const last = entries.at(-1);
    if (last === undefined || last.n !== this.oldestNumber - 1 || !isContiguous(entries)) return;
    this.#entries = [...entries, ...this.#entries.slice(this.#removed)];
    this.#removed = 0;
    this.#keep(entries);
  }

  /** `below`: the change is older than the window. Undefined: this process has not applied it yet. */
  entry(n: number): ChangeEntry | 'below' | undefined {
    return n < this.oldestNumber ? 'below' : this.#entries[this.#removed + n - this.oldestNumber];
  }

  #entriesOf(changes: readonly StoredChange[]): readonly ChangeEntry[] {
    const at = this.#now();
    return changes.map((change) => new ChangeEntry(change, at));
  }

  #keep(entries: readonly ChangeEntry[]): void {
    // Before anything can be removed: a removed entry must not be added.
    for (const entry of entries) this.#latest.add(entry);
    for (const entry of entries) {
      this.#bytes += entry.bytes;
      entry.onGrowth((bytes) => {
        this.#bytes += bytes;
        this.#trim();
      });
    }
    this.#trim();
  }

  #trim(): void {
    while (this.#bytes > this.#maxBytes && this.size > 1) this.#removeOldest();
    if (this.#removed < REMOVED_MIN || this.#removed * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#removed);
    this.#removed = 0;
  }

  #removeOldest(): void {
    const entry = this.#entries[this.#removed];
    this.#entries[this.#removed] = undefined;
    this.#removed += 1;
    if (entry === undefined) return;
    entry.onGrowth(() => {});
    this.#bytes -= entry.bytes;
    this.#latest.remove(entry);
  }
}

const isContiguous = (entries: readonly ChangeEntry[]): boolean =>
  entries.every(({ n }, i) => n === (entries[0]?.n ?? 0) + i);
