import { LRUCache } from 'lru-cache';
import type { FeedChange } from '../../../application/ports/change-logs.js';
import type {
  FeedItems,
  FeedPageSnapshot,
  FeedPages,
  FeedRange,
  ListedItem,
} from '../../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import { FeedIndex } from '../../../domain/feed/feed-index.js';
import { greaterHead, headAfter } from '../../../domain/feed/head-after.js';
import { changeNumber, type Position } from '../../../domain/feed/position.js';
import { LAST_MOMENT, type Moment } from '../../../domain/moment.js';
import { type ChangedItems, lastPublished } from './changed-items.js';
import type { CopyListener } from './copy-listener.js';
import { nextStep } from './next-step.js';
import { refuseOlder } from './older-snapshot.js';
import { nameOf } from './range-name.js';
import { TermReading } from './term-reading.js';

/** Items per read. Larger batches leave more garbage in the heap. */
const BATCH = 100;

const PAGES_MAX = 1_000;

const NEWEST: FeedRange = {
  before: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: [],
  count: BATCH,
};

type Options = {
  /** The number of newest items to copy. */
  readonly max: number;
  /** Gets every error of an update except `Unavailable`. The next call of `apply` tries again. */
  readonly report?: (fault: unknown) => void;
  readonly listener?: CopyListener;
  /** Resolves when `apply` was called with the changes of a read that began after the call. Throws `Unavailable`. */
  readonly readNow?: () => Promise<void>;
};

/**
 * An in-process copy of the newest items of a feed, updated from the change log.
 *
 * The copy always has the state of the feed after one of the changes: a client that holds the position of a page has every
 * item up to it, also if the store then returns to the state after that change (D45). The copy returns no page that may need
 * items older than its oldest one.
 */
export class FeedCopy {
  readonly #pagesOfStore: FeedPages;
  readonly #itemsOfStore: FeedItems;
  readonly #max: number;
  readonly #report: (fault: unknown) => void;
  readonly #listener: CopyListener | null;
  readonly #readNow: () => Promise<void>;
  /** The pages of the most used ranges, by the text of the range. */
  readonly #pages = new LRUCache<string, FeedPageSnapshot>({ max: PAGES_MAX });
  #items = new FeedIndex<ListedItem>();
  readonly #terms = new TermReading();
  #head: Moment | null = null;
  #greatestHead: Moment | null = null;
  #lostHead: Moment | null = null;
  /** The last applied change; null before the first rebuild. */
  #position: Position | null = null;
  /** Changes that are not applied yet, oldest first. */
  #queue: FeedChange[] = [];
  /** The number of the change up to which the items were read; null until they are read. */
  #readUpTo: number | null = null;
  /** True once the changes made during the reads are applied. Before that the copy mixes several states. */
  #isReady = false;
  /** Items at or below this time may be missing; null while the copy is complete. */
  #floor: Moment | null = null;
  #updating: Promise<void> | undefined;
  /** Counts the rebuilds, so that an update of an earlier one ends. */
  #rebuilds = 0;

  constructor(pages: FeedPages, items: FeedItems, options: Options) {
    const { max, report = () => {}, listener = null, readNow = async () => {} } = options;
    this.#pagesOfStore = pages;
    this.#itemsOfStore = items;
    this.#max = max;
    this.#report = report;
    this.#listener = listener;
    this.#readNow = readNow;
  }

  get size(): number {
    return this.#items.size;
  }

  /** The number of items, the last applied change and the head; null before the copy is ready. */
  get state(): { readonly items: number; readonly position: Position; readonly head: Moment | null } | null {
    const position = this.#servedPosition();
    return position === null ? null : { items: this.#items.size, position, head: this.#head };
  }

  /** Whether the changes so far are applied. */
  get isComplete(): boolean {
    return this.#readUpTo !== null && this.#queue.length === 0;
  }

  /** The greatest head that this process has seen, also before a rebuild. */
  get greatestHead(): Moment | null {
    return this.#greatestHead;
  }

  /** The head that the store lost when it returned to an older state; null if it lost none. No page has a lower one. */
  get lostHead(): Moment | null {
    return this.#lostHead;
  }

  keepHead(lost: Moment | null): void {
    this.#lostHead = lost;
    this.#greatestHead = lost;
  }

  /** Notes the head of a page that was read from the store. */
  noteHead(head: Moment | null): void {
    this.#greatestHead = greaterHead(head, this.#greatestHead);
  }

  /** The same data for the metrics. */
  readonly figures = () => {
    const { items: copiedItems = null, position = null, head = null } = this.state ?? {};
    return { position, copiedItems, head };
  };

  /** Drops all items and reads them again. The log is applied from `position` on. */
  rebuild(position: Position): void {
    this.#rebuilds += 1;
    this.#position = position;
    this.#items = new FeedIndex();
    this.#readUpTo = null;
    this.#isReady = false;
    this.#queue = [];
    this.#pages.clear();
    this.#updating = undefined;
    this.#listener?.rebuild(position, this.#greatestHead);
    this.#updateInBackground();
  }

  /** Applies the changes that follow the last ones, in the background. Without changes, an update that failed goes on. */
  apply(changes: readonly FeedChange[]): void {
    this.#queue.push(...changes);
    if (!this.isComplete && this.#position !== null) this.#updateInBackground();
  }

  /** Resolves when the changes so far are applied. */
  async updated(): Promise<void> {
    while (this.#position !== null && !this.isComplete) await this.#update();
  }

  /** The page; undefined if it may need items that are not in the copy. */
  page(range: FeedRange): FeedPageSnapshot | undefined {
    const position = this.#servedPosition();
    if (position === null) return undefined;
    const name = nameOf(range);
    const known = this.#pages.get(name);
    if (known?.position === position) return known;
    const page = this.#find(range, position);
    if (page !== undefined) this.#pages.set(name, page);
    return page;
  }

  /** Null while the copy is not ready. */
  #servedPosition(): Position | null {
    return this.#isReady ? this.#position : null;
  }

  #find(range: FeedRange, position: Position): FeedPageSnapshot | undefined {
    if (range.terms.length > 0 && !this.#terms.isComplete(this.#items)) return undefined;
    const items = this.#items.newest(range);
    const isComplete =
      this.#floor === null ||
      items.length === range.count ||
      (range.newsId !== null && this.#items.get(range.newsId) !== undefined) ||
      (range.since !== null && range.since > this.#floor);
    if (!isComplete) return undefined;
    const version = `${this.#items.versionOf(items)} of ${this.#rebuilds}`;
    return { items, head: this.#head, position, version };
  }

  #updateInBackground(): void {
    this.#update().catch((fault: unknown) => {
      if (!(fault instanceof Unavailable)) this.#report(fault);
    });
  }

  /** Concurrent callers share one update. */
  #update(): Promise<void> {
    if (this.#updating !== undefined) return this.#updating;
    const updating = this.#catchUp(this.#rebuilds).finally(() => {
      if (this.#updating === updating) this.#updating = undefined;
    });
    this.#updating = updating;
    return updating;
  }

  async #catchUp(rebuild: number): Promise<void> {
    if (this.#readUpTo === null) await this.#readNewest(rebuild);
    while (this.#queue.length > 0 && this.#rebuilds === rebuild) await this.#applyNext(rebuild);
    if (this.#rebuilds === rebuild) this.#becomeReady();
  }

  /** Once the changes are applied that were made while the items were read, the copy has the state after a change. */
  #becomeReady(): void {
    if (this.#isReady || this.#position === null || this.#readUpTo === null) return;
    this.#isReady = changeNumber(this.#position) >= this.#readUpTo;
  }

  /** Reads page after page from the newest item down, while the feed changes. */
  async #readNewest(rebuild: number): Promise<void> {
    const items: ListedItem[] = [];
    const rebuiltAt = this.#position;
    let readUpTo = 0;
    for (let before: Moment | null = LAST_MOMENT; before !== null; ) {
      const page: FeedPageSnapshot = await this.#pagesOfStore.page({ ...NEWEST, before });
      if (this.#rebuilds !== rebuild) return;
      refuseOlder(page.position, rebuiltAt);
      if (items.length === 0) {
        this.#setHead(greaterHead(page.head, this.#lostHead));
        this.#listener?.noteHead(this.#head);
      }
      items.push(...page.items);
      readUpTo = Math.max(readUpTo, changeNumber(page.position));
      const isLast = page.items.length < BATCH || items.length > this.#max;
      before = isLast ? null : (page.items.at(-1)?.scoredAt ?? null);
    }
    this.#floor = null;
    for (const item of items) this.#put(item);
    this.#readUpTo = readUpTo;
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

  /** Reads the items of the next changes, and then applies them synchronously, so that no reader sees a part of them. */
  async #applyNext(rebuild: number): Promise<void> {
    const isOver = () => this.#rebuilds !== rebuild;
    const step = await nextStep({
      feed: this.#itemsOfStore,
      queue: this.#queue,
      readNow: this.#readNow,
      isOver,
    });
    if (step === null || isOver()) return;
    if ('rebuildAt' in step) this.rebuild(step.rebuildAt);
    else this.#applyAll(step.changes, step.items);
  }

  #applyAll(changes: readonly FeedChange[], items: ChangedItems): void {
    for (const change of changes) if (change.kind !== 'raised') this.#items.remove(change.id);
    for (const change of lastPublished(changes)) {
      const item = items.of(change);
      if (item !== null) this.#put(item);
    }
    for (const change of changes) {
      this.#position = change.position;
      this.#setHead(headAfter(this.#head, change));
    }
    this.#queue.splice(0, changes.length);
    this.#trim();
    this.#becomeReady();
    this.#listener?.add(items.with(changes));
  }

  #setHead(head: Moment | null): void {
    this.#head = head;
    this.noteHead(head);
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
