import type {
  FeedChange,
  FeedPageSnapshot,
  FeedRange,
  FeedStore,
  ListedItem,
  RenderedItem,
} from '../../../application/ports/feed/feed-store.js';
import { assignScoredAt, type PublishMode } from '../../../domain/feed/assign-scored-at.js';
import { FeedIndex } from '../../../domain/feed/feed-index.js';
import type { Moment } from '../../../domain/moment.js';

type Change = FeedChange extends infer C ? (C extends FeedChange ? Omit<C, 'n'> : never) : never;

/** The feed of one process, for demos and tests. It needs no lock, because nothing is awaited between read and write. */
export class MemoryFeedStore implements FeedStore {
  readonly #items = new FeedIndex<ListedItem>();
  readonly #changes: FeedChange[] = [];
  #head: Moment | null = null;

  get state(): { readonly version: number; readonly head: Moment | null } {
    return { version: this.#changes.length, head: this.#head };
  }

  async publish(items: readonly ListedItem[], mode: PublishMode): Promise<readonly RenderedItem[]> {
    // The old times of all items in the batch become free before the first item gets its new time.
    for (const { id } of items) this.#items.remove(id);
    return items.map((item) => {
      this.#items.remove(item.id);
      const isTaken = (scoredAt: Moment) => this.#items.at(scoredAt) !== undefined;
      const { at, head } = assignScoredAt(this.#head, isTaken, item.scoredAt, mode);
      this.#head = head;
      const published = { ...item, scoredAt: at };
      this.#items.add(published);
      this.#log({ kind: 'published', id: published.id, scoredAt: at });
      return published;
    });
  }

  async retract(id: string): Promise<boolean> {
    const known = this.#items.remove(id);
    if (known) this.#log({ kind: 'retracted', id });
    return known;
  }

  page(range: FeedRange): FeedPageSnapshot {
    return { items: this.#items.newest(range), ...this.state };
  }

  async find(ids: readonly string[]): Promise<readonly ListedItem[]> {
    return ids.flatMap((id) => this.#items.get(id) ?? []);
  }

  async changesSince(n: number, count: number): Promise<readonly FeedChange[]> {
    return this.#changes.slice(n, n + count);
  }

  #log(change: Change): void {
    this.#changes.push({ ...change, n: this.#changes.length + 1 });
  }
}
