import type { Moment } from '../moment.js';

/** At most `count` items with `since <= scoredAt < before`. */
export type TimeRange = {
  readonly before: Moment | null;
  readonly since: Moment | null;
  readonly count: number;
};

/** Moves from newer to older items. */
export type TimelineCursor<Item> = {
  /** The newest item that is not newer than `at`, or at all if `at` is null; undefined if there is none. */
  readonly seek: (at: Moment | null) => Item | undefined;
  /** Leaves the current item. */
  readonly next: () => void;
};

/** Items sorted by `scoredAt`. All values are different. */
export class Timeline<Item extends { readonly scoredAt: Moment }> {
  /** Oldest first: new items are nearly always added at the end. */
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  at(at: Moment): Item | undefined {
    const item = this.#items[this.#indexOf(at)];
    return item?.scoredAt === at ? item : undefined;
  }

  oldest(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    this.#items.splice(this.#indexOf(item.scoredAt), 0, item);
  }

  remove(at: Moment): void {
    if (this.at(at) !== undefined) this.#items.splice(this.#indexOf(at), 1);
  }

  /** At most `count` items with `since <= scoredAt < before`, newest first. */
  newest(range: TimeRange): Item[] {
    const end = range.before === null ? this.#items.length : this.#indexOf(range.before);
    const start = range.since === null ? 0 : this.#indexOf(range.since);
    return this.#items.slice(Math.max(start, end - range.count), Math.max(start, end)).reverse();
  }

  /** At most `count` items with `scoredAt > after`, oldest first. */
  after(after: Moment, count: number): readonly Item[] {
    const start = this.#indexOf(after) + (this.at(after) === undefined ? 0 : 1);
    return this.#items.slice(start, start + count);
  }

  /** A cursor below a moment. It is valid until the items change. */
  cursor(before: Moment | null): TimelineCursor<Item> {
    let index = (before === null ? this.#items.length : this.#indexOf(before)) - 1;
    return {
      seek: (at) => {
        const item = this.#items[index];
        if (item === undefined || at === null || item.scoredAt <= at) return item;
        const found = this.#indexOf(at, index);
        index = this.#items[found]?.scoredAt === at ? found : found - 1;
        return this.#items[index];
      },
      next: () => {
        index -= 1;
      },
    };
  }

  /** The index of the first item at or after a moment, or `high` if that is less; the length if there is none. */
  #indexOf(at: Moment, high = this.#items.length): number {
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && item.scoredAt < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
