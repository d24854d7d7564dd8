// Longer than 300 lines: the states of the copy are asserted in one place.
import { createHash } from 'node:crypto';
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
import { type Position, samePosition } from '../../../domain/feed/position.js';
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

/** The states of a copy, and those that may follow each. */
const NEXT_STATES = {
  empty: ['reading'],
  reading: ['reading', 'catching up'],
  'catching up': ['reading', 'serving'],
  serving: ['reading'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type State = keyof typeof NEXT_STATES;

/**
 * An in-process copy of the newest items of a feed, updated from the change log.
 *
 * States:
 * - `empty`: nothing was read yet;
 * - `reading`: it reads the newest items page by page, while the feed changes. Changes are queued;
 * - `catching up`: it has the items, of several states of the feed, and applies the changes that were made during the reads;
 * - `serving`: it has the state of the feed after one of the changes, and returns pages. Changes are applied in the background.
 *
 * Transitions:
 * - any state → `reading`: `rebuild`, because changes are missing, the store has returned to an older state (D45), or a step has
 *   too many changes;
 * - `reading` → `catching up`: the last page is read;
 * - `catching up` → `serving`: the newest change that any of those pages had is applied.
 *
 * An update that fails leaves the state as it is, and the next call of `apply` tries again.
 *
 * In `serving`, each page has every change up to its position, so that a client can continue from there after a restore of the
 * store (D45). The copy returns no page that may need items older than its oldest one.
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
  #state: State = 'empty';
  /** The last applied change; null in `empty`. */
  #position: Position | null = null;
  /** Changes that are not applied yet, oldest first. */
  #queue: FeedChange[] = [];
  /** In `catching up`: the newest change of the pages that were read. */
  #readUpTo = 0;
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

  /** The number of items, the last applied change and the head; null unless it serves. */
  get state(): { readonly items: number; readonly position: Position; readonly head: Moment | null } | null {
    const position = this.#servedPosition();
    return position === null ? null : { items: this.#items.size, position, head: this.#head };
  }

  /** How often it was rebuilt. */
  get rebuilds(): number {
    return this.#rebuilds;
  }

  /** Whether the changes so far are applied. */
  get isComplete(): boolean {
    return (this.#state === 'catching up' || this.#state === 'serving') && this.#queue.length === 0;
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
    this.#enter('reading');
    this.#queue = [];
    this.#pages.clear();
    this.#updating = undefined;
    this.#listener?.rebuild(position, this.#greatestHead);
    this.#updateInBackground();
  }

  /** Applies the changes that follow the last ones, in the background. Without changes, an update that failed goes on. */
  apply(changes: readonly FeedChange[]): void {
    this.#queue.push(...changes);
    if (!this.isComplete && this.#state !== 'empty') this.#updateInBackground();
  }

  /** Resolves when the changes so far are applied. */
  async updated(): Promise<void> {
    while (this.#state !== 'empty' && !this.isComplete) await this.#update();
  }

  /** The page; undefined if it may need items that are not in the copy. */
  page(range: FeedRange): FeedPageSnapshot | undefined {
    const position = this.#servedPosition();
    if (position === null) return undefined;
    const name = nameOf(range);
    const known = this.#pages.get(name);
    if (known !== undefined && samePosition(known.position, position)) return known;
    const page = this.#find(range, position);
    if (page !== undefined) this.#pages.set(name, page);
    return page;
  }

  #servedPosition(): Position | null {
    return this.#state === 'serving' ? this.#position : null;
  }

  #enter(next: State): void {
    const allowed: readonly State[] = NEXT_STATES[this.#state];
    if (!allowed.includes(next))
      throw new Error(`a copy of the feed cannot go from ${this.#state} to ${next}`);
    this.#state = next;
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
    const version = digestOf(`${this.#rebuilds}:${this.#items.versionOf(items)}`);
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
    if (this.#state === 'reading') await this.#readNewest(rebuild);
    while (this.#queue.length > 0 && this.#rebuilds === rebuild) await this.#applyNext(rebuild);
    if (this.#rebuilds === rebuild) this.#serveIfCaughtUp();
  }

  #serveIfCaughtUp(): void {
    if (this.#state !== 'catching up' || this.#position === null) return;
    if (this.#position.n >= this.#readUpTo) this.#enter('serving');
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
      readUpTo = Math.max(readUpTo, page.position.n);
      const isLast = page.items.length < BATCH || items.length > this.#max;
      before = isLast ? null : (page.items.at(-1)?.scoredAt ?? null);
    }
    this.#floor = null;
    for (const item of items) this.#put(item);
    this.#readUpTo = readUpTo;
    this.#enter('catching up');
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
    this.#pages.clear(); // Of another position: they would only keep items that have left the feed.
    this.#trim();
    this.#serveIfCaughtUp();
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

/** Short, because caches look pages up by their version for each request. */
const digestOf = (text: string): string => createHash('sha1').update(text).digest('base64url');
