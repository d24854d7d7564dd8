import type { Moment } from '../moment.js';
import { Timeline } from './timeline.js';

type Indexed = { readonly id: string; readonly scoredAt: Moment; readonly subMarketIds: readonly string[] };

type Range = {
  readonly before: Moment | null;
  readonly since: Moment | null;
  readonly newsId: string | null;
  readonly marketId: string | null;
  readonly count: number;
};

/** The current feed in memory, indexed by id, by time and by sub-market (D8, D9). */
export class FeedIndex<Item extends Indexed> {
  readonly #items = new Map<string, Item>();
  readonly #timeline = new Timeline<Item>();
  readonly #byMarket = new Map<string, Timeline<Item>>();

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

  /** At most `count` items with `since <= scoredAt < before` that match both filters, newest first. */
  newest(range: Range): readonly Item[] {
    if (range.newsId === null) {
      return range.marketId === null
        ? this.#timeline.newest(range)
        : (this.#byMarket.get(range.marketId)?.newest(range) ?? []);
    }
    const item = this.#items.get(range.newsId);
    return item !== undefined && matches(item, range) ? [item] : [];
  }

  /** At most `count` items with `scoredAt > after`, oldest first. */
  after(after: Moment, count: number): readonly Item[] {
    return this.#timeline.after(after, count);
  }

  add(item: Item): void {
    this.#items.set(item.id, item);
    this.#timeline.add(item);
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
    this.#timeline.remove(item.scoredAt);
    for (const market of item.subMarketIds) {
      const timeline = this.#byMarket.get(market);
      timeline?.remove(item.scoredAt);
      if (timeline?.size === 0) this.#byMarket.delete(market);
    }
    return true;
  }
}

const matches = ({ scoredAt, subMarketIds }: Indexed, { before, since, marketId }: Range): boolean =>
  (before === null || scoredAt < before) &&
  (since === null || scoredAt >= since) &&
  (marketId === null || subMarketIds.includes(marketId));
