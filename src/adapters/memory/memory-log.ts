import { randomBytes } from 'node:crypto';
import { type Mark, type Position, samePosition } from '../../domain/feed/position.js';
import { fromEpochMillis, type Moment } from '../../domain/moment.js';

type Entry<Change> = { readonly position: Position; readonly change: Change; readonly at: Moment };

/** Changes with their positions, oldest first. Change 0 is the start of the log. */
export class MemoryLog<Change> {
  /** Returns the mark of each change (D45). */
  readonly #mark: () => Mark;
  #entries: Entry<Change | null>[];

  constructor(mark: () => Mark = randomMark) {
    this.#mark = mark;
    this.#entries = [{ position: { n: 0, mark: mark() }, change: null, at: now() }];
  }

  get newest(): Position {
    const newest = this.#entries.at(-1);
    if (newest === undefined) throw new Error('the newest entry was removed');
    return newest.position;
  }

  /** The number of the oldest entry. */
  get oldest(): number {
    return (this.#entries[0]?.position ?? this.newest).n;
  }

  /** Returns the number of the change. */
  add(change: Change): number {
    const n = this.newest.n + 1;
    this.#entries.push({ position: { n, mark: this.#mark() }, change, at: now() });
    return n;
  }

  /** The entries with `first <= number < first + count`. The change of the start of the log is null. */
  range(first: number, count: number): readonly Entry<Change | null>[] {
    const start = first - this.oldest;
    return this.#entries.slice(Math.max(0, start), Math.max(0, start + count));
  }

  /** At most `count` entries after a position, or why there are none to return. */
  after(position: Position, count: number): readonly Entry<Change>[] | 'expired' | 'older state' {
    const first = this.oldest;
    const { n } = position;
    if (n < first) return 'expired';
    if (!samePosition(this.#entries[n - first]?.position ?? null, position)) return 'older state';
    return this.#entries
      .slice(n - first + 1, n - first + 1 + count)
      .flatMap(({ change, ...entry }) => (change === null ? [] : [{ ...entry, change }]));
  }

  /** Removes the oldest entries with a time at or before `until`, at most `count`, but never the newest ones. */
  deleteExpired(until: Moment, count: number, newestKept: number): number {
    const firstKept = this.#entries.findIndex(({ at }) => at > until);
    const expired = firstKept === -1 ? this.#entries.length : firstKept;
    return this.removeOldest(Math.max(0, Math.min(count, expired, this.#entries.length - newestKept)));
  }

  /** Removes the oldest entries, but never the newest one. Returns the number of removed entries. */
  removeOldest(count: number): number {
    const removed = Math.min(count, this.#entries.length - 1);
    this.#entries = this.#entries.slice(removed);
    return removed;
  }
}

/** Real time, like that of the database: the test clock does not move it. */
const now = (): Moment => fromEpochMillis(Date.now());

const randomMark = (): Mark => randomBytes(8).toString('hex');
