import type { Moment } from '../../moment.js';
import { Timeline, type TimelineCursor, type TimeRange } from '../timeline.js';
import type { Term, TermFilter } from './item-terms.js';

type Scored = { readonly scoredAt: Moment };

/** Items in memory by their terms: for each term, the items that have it, in the order of their times. */
export class TermIndex<Item extends Scored> {
  readonly #byTerm = new Map<Term, Timeline<Item>>();

  add(item: Item, terms: ReadonlySet<Term>): void {
    for (const term of terms) {
      const timeline = this.#byTerm.get(term) ?? new Timeline();
      timeline.add(item);
      this.#byTerm.set(term, timeline);
    }
  }

  /** `terms` must be those with which the item was added. */
  remove({ scoredAt }: Item, terms: ReadonlySet<Term>): void {
    for (const term of terms) {
      const timeline = this.#byTerm.get(term);
      timeline?.remove(scoredAt);
      if (timeline?.size === 0) this.#byTerm.delete(term);
    }
  }

  /**
   * The items of a range that pass a filter which is not empty, newest first. Each cursor skips to the oldest item that
   * another one has reached, so the work is bounded by the terms that few items have.
   */
  newest({ before, since, count }: TimeRange, filter: TermFilter): readonly Item[] {
    const lists = filter.map((anyOf) =>
      anyOf.flatMap((term) => this.#byTerm.get(term)?.cursor(before) ?? []),
    );
    const found: Item[] = [];
    while (found.length < count) {
      const item = nextInAll(lists);
      if (item === undefined || (since !== null && item.scoredAt < since)) break;
      found.push(item);
      for (const list of lists) leave(list, item);
    }
    return found;
  }
}

type List<Item> = readonly TimelineCursor<Item>[];

/** The newest item that each list has, from the current positions of the cursors on. */
function nextInAll<Item extends Scored>(lists: readonly List<Item>[]): Item | undefined {
  let item: Item | undefined;
  let agreeing = 0;
  for (let i = 0; agreeing < lists.length; i = (i + 1) % lists.length) {
    const found: Item | undefined = seek(lists[i] ?? [], item?.scoredAt ?? null);
    if (found === undefined) return undefined;
    agreeing = found === item ? agreeing + 1 : 1;
    item = found;
  }
  return item;
}

function seek<Item extends Scored>(list: List<Item>, at: Moment | null): Item | undefined {
  let newest: Item | undefined;
  for (const cursor of list) {
    const item = cursor.seek(at);
    if (item !== undefined && (newest === undefined || item.scoredAt > newest.scoredAt)) newest = item;
  }
  return newest;
}

function leave<Item extends Scored>(list: List<Item>, item: Item): void {
  for (const cursor of list) if (cursor.seek(item.scoredAt) === item) cursor.next();
}
