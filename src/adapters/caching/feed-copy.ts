import { LRUCache } from 'lru-cache';
import type {
  FeedChange,
  FeedPageSnapshot,
  FeedRange,
  FeedStore,
  ListedItem,
} from '../../application/ports/feed/feed-store.js';
import { FeedIndex } from '../../domain/feed/feed-index.js';
import { LAST_MOMENT, type Moment } from '../../domain/moment.js';

/** Items or changes per read. Larger batches leave more garbage in the heap. */
const BATCH = 100;

const PAGES_MAX = 1_000;

const NEWEST: FeedRange = { before: null, since: null, newsId: null, marketId: null, count: BATCH };

/**
 * An in-process copy of the newest items of a feed, updated from the change log.
 *
 * The copy has the state of the feed after one of the changes, with one exception: if an item has changed again in the
 * store, it is missing until the copy applies that change. The copy returns no page that may need items older than its
 * oldest one.
 */
export class FeedCopy {
  readonly #feed: FeedStore;
  readonly #max: number;
  /** The last page for each range object. Most callers reuse the object, so that its text is not built again. */
  readonly #lastPages = new WeakMap<FeedRange, FeedPageSnapshot>();
  /** The pages of the most used ranges, by the text of the range. */
  readonly #pages = new LRUCache<string, FeedPageSnapshot>({ max: PAGES_MAX });
  #items = new FeedIndex<ListedItem>();
  #head: Moment | null = null;
  /** The number of the last applied change; null until the first pages are read. */
  #version: number | null = null;
  /** True once the changes made during the first read are applied. Before that the copy is inconsistent. */
  #isReady = false;
  /** Items at or below this time may be missing; null while the copy is complete. */
  #floor: Moment | null = null;
  #pendingUpdate: Promise<void> | undefined;

  constructor(feed: FeedStore, max: number) {
    this.#feed = feed;
    this.#max = max;
  }

  get size(): number {
    return this.#items.size;
  }

  /** The number of items, the last applied change and the head; null before the copy is ready. */
  get state(): { readonly items: number; readonly version: number; readonly head: Moment | null } | null {
    if (this.#version === null || !this.#isReady) return null;
    return { items: this.#items.size, version: this.#version, head: this.#head };
  }

  /** The same data for the metrics. */
  readonly figures = () => {
    const { items: copiedItems = null, version = null, head = null } = this.state ?? {};
    return { version, copiedItems, head };
  };

  /** Creates the copy or updates it from the change log. Concurrent callers share one update. */
  follow(): Promise<void> {
    this.#pendingUpdate ??= this.#catchUp().finally(() => {
      this.#pendingUpdate = undefined;
    });
    return this.#pendingUpdate;
  }

  /** Like `follow`, but starts a new update: a pending one may have read the change log too early. */
  async followNow(): Promise<void> {
    await this.#pendingUpdate?.catch(() => {});
    await this.follow();
  }

  /**
   * The page; undefined if it may need items that are not in the copy. The same page object for the same range object
   * and version.
   */
  page(range: FeedRange): FeedPageSnapshot | undefined {
    const version = this.#version;
    if (version === null || !this.#isReady) return undefined;
    const last = this.#lastPages.get(range);
    if (last?.version === version) return last;
    const page = this.#find(range, version);
    if (page !== undefined) this.#lastPages.set(range, page);
    return page;
  }

  /** Finds the page by the text of its range. If the items have not changed, the page has the same array object. */
  #find(range: FeedRange, version: number): FeedPageSnapshot | undefined {
    const name = nameOf(range);
    const known = this.#pages.get(name);
    if (known?.version === version) return known;
    const items = this.#items.newest(range);
    const isComplete =
      this.#floor === null ||
      items.length === range.count ||
      (range.newsId !== null && this.#items.get(range.newsId) !== undefined) ||
      (range.since !== null && range.since > this.#floor);
    if (!isComplete) return undefined;
    const isUnchanged = known !== undefined && areSame(known.items, items);
    const page = { items: isUnchanged ? known.items : items, head: this.#head, version };
    this.#pages.set(name, page);
    return page;
  }

  async #catchUp(): Promise<void> {
    if (this.#version === null) await this.#readNewest();
    for (;;) {
      const changes = await this.#feed.changesSince(this.#version ?? 0, BATCH);
      if (changes.length > 0) await this.#apply(changes);
      if (changes.length < BATCH) break;
    }
    this.#isReady = true;
  }

  /**
   * Reads page after page from the newest item down, while the feed changes. Afterwards the changes since the first page
   * are applied from the log, which makes the copy consistent.
   */
  async #readNewest(): Promise<void> {
    this.#items = new FeedIndex();
    this.#floor = null;
    const first = await this.#feed.page({ ...NEWEST, count: 1 });
    for (let before: Moment | null = LAST_MOMENT; before !== null; ) {
      const { items } = await this.#feed.page({ ...NEWEST, before });
      for (const item of items) this.#put(item);
      before = items.length < BATCH || this.#items.size > this.#max ? null : (items.at(-1)?.scoredAt ?? null);
    }
    this.#head = first.head;
    this.#version = first.version;
    this.#trim();
  }

  /**
   * Adds an item and removes another item with the same time. The store has removed that item, or a later change adds
   * it again.
   */
  #put(item: ListedItem): void {
    const other = this.#items.at(item.scoredAt);
    if (other !== undefined) this.#items.remove(other.id);
    this.#items.remove(item.id);
    this.#items.add(item);
  }

  /** Reads all needed items first and then applies the changes synchronously, so that no reader sees a partial update. */
  async #apply(changes: readonly FeedChange[]): Promise<void> {
    const published = scoredAtAfter(changes);
    const found = await this.#feed.find([...published.keys()]);
    for (const { id } of changes) this.#items.remove(id);
    for (const item of found) {
      // If the times differ, the item has changed again; a later change adds it.
      if (item.scoredAt === published.get(item.id)) this.#put(item);
    }
    for (const change of changes) {
      this.#version = change.n;
      if (change.kind === 'published' && (this.#head === null || change.scoredAt > this.#head)) {
        this.#head = change.scoredAt;
      }
    }
    this.#trim();
  }

  #trim(): void {
    for (let oldest = this.#items.oldest(); oldest !== undefined; oldest = this.#items.oldest()) {
      const isBelow = this.#floor !== null && oldest.scoredAt <= this.#floor;
      if (this.#items.size <= this.#max && !isBelow) return;
      this.#items.remove(oldest.id);
      if (!isBelow) this.#floor = oldest.scoredAt;
    }
  }
}

/** Ids can be any text, so they are encoded as JSON to keep names unambiguous. */
const nameOf = ({ before, since, newsId, marketId, count }: FeedRange): string =>
  newsId === null && marketId === null
    ? `${before} ${since} ${count}`
    : `${before} ${since} ${count} ${JSON.stringify([newsId, marketId])}`;

const areSame = (some: readonly ListedItem[], others: readonly ListedItem[]): boolean =>
  some.length === others.length && some.every((item, i) => item === others[i]);

/** The time of each item after the last of these changes, without retracted items. */
function scoredAtAfter(changes: readonly FeedChange[]): ReadonlyMap<string, Moment> {
  const scoredAts = new Map<string, Moment>();
  for (const change of changes) {
    if (change.kind === 'published') scoredAts.set(change.id, change.scoredAt);
    else scoredAts.delete(change.id);
  }
  return scoredAts;
}
