import { randomBytes } from 'node:crypto';
import { changeNumber, type Position, positionOf } from '../../domain/feed/position.js';
import { fromEpochMillis, type Moment } from '../../domain/moment.js';

type Entry<Change> = { readonly position: Position; readonly change: Change; readonly at: Moment };

/** Changes with their positions, oldest first. Change 0 is the start of the log. */
export class MemoryLog<Change> {
  #entries: Entry<Change | null>[] = [{ position: positionOf(0, mark()), change: null, at: now() }];

  get newest(): Position {
    // The newest entry is never removed.
    return this.#entries.at(-1)?.position ?? positionOf(0, mark());
  }

  add(change: Change): void {
    this.#entries.push({ position: positionOf(changeNumber(this.newest) + 1, mark()), change, at: now() });
  }

  /** At most `count` entries after a position, or why there are none to return. */
  after(position: Position, count: number): readonly Entry<Change>[] | 'expired' | 'older state' {
    const first = changeNumber(this.#entries[0]?.position ?? position);
    const n = changeNumber(position);
    if (n < first) return 'expired';
    if (this.#entries[n - first]?.position !== position) return 'older state';
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

const mark = (): string => randomBytes(8).toString('hex');
