import { randomBytes } from 'node:crypto';
import { changeNumber, type Position, positionOf } from '../../domain/feed/position.js';

type Entry<Change> = { readonly position: Position; readonly change: Change };

/** Changes with their positions, oldest first. Change 0 is the start of the log. */
export class MemoryLog<Change> {
  #entries: Entry<Change | null>[] = [{ position: positionOf(0, mark()), change: null }];

  get newest(): Position {
    // The newest entry is never removed.
    return this.#entries.at(-1)?.position ?? positionOf(0, mark());
  }

  add(change: Change): void {
    this.#entries.push({ position: positionOf(changeNumber(this.newest) + 1, mark()), change });
  }

  /** At most `count` entries after a position, or why there are none to return. */
  after(position: Position, count: number): readonly Entry<Change>[] | 'expired' | 'older state' {
    const first = changeNumber(this.#entries[0]?.position ?? position);
    const n = changeNumber(position);
    if (n < first) return 'expired';
    if (this.#entries[n - first]?.position !== position) return 'older state';
    return this.#entries
      .slice(n - first + 1, n - first + 1 + count)
      .flatMap(({ position: at, change }) => (change === null ? [] : [{ position: at, change }]));
  }

  /** Removes the oldest entries, but never the newest one. Returns the number of removed entries. */
  removeOldest(count: number): number {
    const removed = Math.min(count, this.#entries.length - 1);
    this.#entries = this.#entries.slice(removed);
    return removed;
  }
}

const mark = (): string => randomBytes(8).toString('hex');
