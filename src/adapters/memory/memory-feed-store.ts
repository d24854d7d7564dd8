import type {
  FeedChange,
  FeedRange,
  FeedStore,
  RenderedItem,
  UnplacedItem,
} from '../../application/ports/feed-store.js';
import { type PlacingMode, placing } from '../../domain/feed-placing.js';
import type { Moment } from '../../domain/moment.js';
import { Timeline } from './timeline.js';

type Change = FeedChange extends infer C ? (C extends FeedChange ? Omit<C, 'n'> : never) : never;

/** The feed of one process, for demos and tests. Nothing is awaited between look and write: that is its lock. */
export class MemoryFeedStore implements FeedStore {
  readonly #items = new Map<string, UnplacedItem>();
  readonly #timeline = new Timeline<UnplacedItem>();
  readonly #byMarket = new Map<string, Timeline<UnplacedItem>>();
  readonly #changes: FeedChange[] = [];
  #head: Moment | null = null;

  async place(items: readonly UnplacedItem[], mode: PlacingMode): Promise<readonly RenderedItem[]> {
    return items.map((item) => {
      this.#remove(item.id);
      const { at, head } = placing(this.#head, (taken) => this.#timeline.has(taken), item.scoredAt, mode);
      this.#head = head;
      const placed = { ...item, scoredAt: at };
      this.#add(placed);
      this.#log({ kind: 'placed', id: placed.id, scoredAt: at });
      return placed;
    });
  }

  async retract(id: string): Promise<boolean> {
    const known = this.#remove(id);
    if (known) this.#log({ kind: 'retracted', id });
    return known;
  }

  async page(range: FeedRange): Promise<{ items: readonly RenderedItem[]; head: Moment | null }> {
    return { items: this.#found(range), head: this.#head };
  }

  async changesSince(n: number, count: number): Promise<readonly FeedChange[]> {
    return this.#changes.slice(n, n + count);
  }

  #found(range: FeedRange): readonly RenderedItem[] {
    if (range.newsId === null) {
      return range.marketId === null
        ? this.#timeline.newest(range)
        : (this.#byMarket.get(range.marketId)?.newest(range) ?? []);
    }
    const item = this.#items.get(range.newsId);
    return item !== undefined && matches(item, range) ? [item] : [];
  }

  #add(item: UnplacedItem): void {
    this.#items.set(item.id, item);
    this.#timeline.add(item);
    for (const market of item.subMarketIds) {
      const timeline = this.#byMarket.get(market) ?? new Timeline();
      timeline.add(item);
      this.#byMarket.set(market, timeline);
    }
  }

  #remove(id: string): boolean {
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

  #log(change: Change): void {
    this.#changes.push({ ...change, n: this.#changes.length + 1 });
  }
}

const matches = ({ scoredAt, subMarketIds }: UnplacedItem, { before, since, marketId }: FeedRange): boolean =>
  (before === null || scoredAt < before) &&
  (since === null || scoredAt >= since) &&
  (marketId === null || subMarketIds.includes(marketId));
