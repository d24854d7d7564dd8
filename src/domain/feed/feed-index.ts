import type { Moment } from '../moment.js';
import { passes, type SearchableItem, type TermFilter, termsOf, withMarket } from './filters/item-terms.js';
import { TermIndex } from './filters/term-index.js';
import { Timeline } from './timeline.js';

type Indexed = SearchableItem & { readonly id: string; readonly scoredAt: Moment };

type Range = {
  readonly before: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  readonly marketId: string | null;
  readonly terms: TermFilter;
  readonly count: number;
};

/** The current feed in memory, indexed by id, by time, by sub-market (D8, D9) and by terms (D57). */
export class FeedIndex<Item extends Indexed> {
  readonly #items = new Map<string, Item>();
  readonly #timeline = new Timeline<Item>();
  readonly #byMarket = new Map<string, Timeline<Item>>();
  readonly #byTerm = new TermIndex<Item>();
  /** Items that are not in `#byTerm`. A feed that nobody filters by terms never reads them. */
  readonly #withoutTerms = new Set<Item>();
  /** How many items were added before each item. */
  readonly #numbers = new Map<string, number>();
  #added = 0;

  get size(): number {
    return this.#items.size;
  }

  get(id: string): Item | undefined {
    return this.#items.get(id);
  }

  at(at: Moment): Item | undefined {
    return this.#timeline.at(at);
  }

  oldest(): Item | undefined {
    return this.#timeline.oldest();
  }

  /**
   * Reads the terms of at most `count` items. Returns whether all items have theirs; `newest` needs them for a filter by
   * terms.
   */
  readTerms(count: number): boolean {
    // The last one first: a feed is often added from its newest item on, and the end of a timeline grows fastest.
    const waiting = [...this.#withoutTerms];
    for (const item of waiting.slice(Math.max(0, waiting.length - count)).reverse()) {
      this.#byTerm.add(item, termsOf(item));
      this.#withoutTerms.delete(item);
    }
    return this.#withoutTerms.size === 0;
  }

  /** At most `count` items with `since <= scoredAt < before` that match all filters, newest first. */
  newest(range: Range): readonly Item[] {
    if (range.newsId === null) {
      if (range.terms.length > 0) return this.#byTerm.newest(range, withMarket(range.terms, range.marketId));
      return range.marketId === null
        ? this.#timeline.newest(range)
        : (this.#byMarket.get(range.marketId)?.newest(range) ?? []);
    }
    const item = this.#items.get(range.newsId);
    return item !== undefined && matches(item, range) ? [item] : [];
  }

  /** The same text for the same items in the same order, and for no others that this index ever had. */
  versionOf(items: readonly Item[]): string {
    let version = '';
    for (const { id } of items) version += ` ${this.#numbers.get(id)}`;
    return version;
  }

  /** At most `count` items with `scoredAt > after`, oldest first. */
  after(after: Moment, count: number): readonly Item[] {
    return this.#timeline.after(after, count);
  }

  add(item: Item): void {
    this.#items.set(item.id, item);
    this.#numbers.set(item.id, this.#added);
    this.#added += 1;
    this.#timeline.add(item);
    this.#withoutTerms.add(item);
    for (const market of item.subMarketIds) {
      const timeline = this.#byMarket.get(market) ?? new Timeline();
      timeline.add(item);
      this.#byMarket.set(market, timeline);
    }
  }

  /** False if there is no such item. */
  remove(id: string): boolean {
    const item = this.#items.get(id);
    if (item === undefined) return false;
    this.#items.delete(id);
    this.#numbers.delete(id);
    this.#timeline.remove(item.scoredAt);
    if (!this.#withoutTerms.delete(item)) this.#byTerm.remove(item, termsOf(item));
    for (const market of item.subMarketIds) {
      const timeline = this.#byMarket.get(market);
      timeline?.remove(item.scoredAt);
      if (timeline?.size === 0) this.#byMarket.delete(market);
    }
    return true;
  }
}

export const matches = (item: Indexed, { before, since, newsId, marketId, terms }: Range): boolean =>
  (before === null || item.scoredAt < before) &&
  (since === null || item.scoredAt >= since) &&
  (newsId === null || item.id === newsId) &&
  (marketId === null || item.subMarketIds.includes(marketId)) &&
  (terms.length === 0 || passes(terms, termsOf(item)));
