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

/** Read at a time, while the copy is made and while it follows: more at once leave more behind in the heap. */
const BATCH = 100;

const ANSWERS_MAX = 1_000;

const NEWEST: FeedRange = { before: null, since: null, newsId: null, marketId: null, count: BATCH };

/**
 * The newest items of a feed, in the process, kept by following the change log.
 *
 * It is the feed as it stood after one of its changes, none beyond: an item that has moved on since is
 * missing until the change that moved it comes. What it cannot know, because that may lie below its
 * oldest item, it does not answer.
 */
export class FeedCopy {
  readonly #feed: FeedStore;
  readonly #max: number;
  /** What was answered last to whoever asks with the same object: most do, and need not be told apart by text. */
  readonly #lastAnswers = new WeakMap<FeedRange, FeedPageSnapshot>();
  /** What was answered to the ranges that are asked for most, by what they say. */
  readonly #answers = new LRUCache<string, FeedPageSnapshot>({ max: ANSWERS_MAX });
  #items = new FeedIndex<ListedItem>();
  #head: Moment | null = null;
  /** Null until the first pages are read. */
  #version: number | null = null;
  /** Not before what changed while they were read has been applied: till then it never stood so. */
  #isMade = false;
  /** Items at or below have been left out; null while nothing has. */
  #floor: Moment | null = null;
  #following: Promise<void> | undefined;

  constructor(feed: FeedStore, max: number) {
    this.#feed = feed;
    this.#max = max;
  }

  get size(): number {
    return this.#items.size;
  }

  /** What the copy holds and how far it has followed; null before it is made. */
  get state(): { readonly items: number; readonly version: number; readonly head: Moment | null } | null {
    if (this.#version === null || !this.#isMade) return null;
    return { items: this.#items.size, version: this.#version, head: this.#head };
  }

  /** The same for metrics. */
  readonly figures = () => {
    const { items: copiedItems = null, version = null, head = null } = this.state ?? {};
    return { version, copiedItems, head };
  };

  /** Brings the copy up to the feed, or makes it. Callers that come meanwhile wait for the same. */
  follow(): Promise<void> {
    this.#following ??= this.#catchUp().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  /** Brings it up to the feed as it is now: who follows already may have looked too early. */
  async followNow(): Promise<void> {
    await this.#following?.catch(() => {});
    await this.follow();
  }

  /** The page, if all that can be on it is in the copy. */
  page(range: FeedRange): FeedPageSnapshot | undefined {
    const version = this.#version;
    if (version === null || !this.#isMade) return undefined;
    const last = this.#lastAnswers.get(range);
    if (last?.version === version) return last;
    const answer = this.#answer(range, version);
    if (answer !== undefined) this.#lastAnswers.set(range, answer);
    return answer;
  }

  /** Whoever asks with a range of its own is found by what it says. */
  #answer(range: FeedRange, version: number): FeedPageSnapshot | undefined {
    const name = nameOf(range);
    const known = this.#answers.get(name);
    if (known?.version === version) return known;
    const items = this.#items.newest(range);
    const isWhole =
      this.#floor === null ||
      items.length === range.count ||
      (range.newsId !== null && this.#items.get(range.newsId) !== undefined) ||
      (range.since !== null && range.since > this.#floor);
    if (!isWhole) return undefined;
    const isAsBefore = known !== undefined && areSame(known.items, items);
    const answer = { items: isAsBefore ? known.items : items, head: this.#head, version };
    this.#answers.set(name, answer);
    return answer;
  }

  async #catchUp(): Promise<void> {
    if (this.#version === null) await this.#make();
    for (;;) {
      const changes = await this.#feed.changesSince(this.#version ?? 0, BATCH);
      if (changes.length > 0) await this.#apply(changes);
      if (changes.length < BATCH) break;
    }
    this.#isMade = true;
  }

  /**
   * Walks down from the newest. Pages are read one after another while the feed goes on: what
   * changed since the first of them is applied again from the log, which mends them all.
   */
  async #make(): Promise<void> {
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

  /** What stood in its place has left it, or will come again with a later change. */
  #put(item: ListedItem): void {
    const other = this.#items.at(item.scoredAt);
    if (other !== undefined) this.#items.remove(other.id);
    this.#items.remove(item.id);
    this.#items.add(item);
  }

  /** In one turn of the event loop, once everything needed is there: no reader sees half of it. */
  async #apply(changes: readonly FeedChange[]): Promise<void> {
    const published = scoredAtAfter(changes);
    const found = await this.#feed.find([...published.keys()]);
    for (const { id } of changes) this.#items.remove(id);
    for (const item of found) {
      // An item that has moved on since is brought by a later change.
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

/** Ids are any text, and are kept apart from what stands beside them. */
const nameOf = ({ before, since, newsId, marketId, count }: FeedRange): string =>
  newsId === null && marketId === null
    ? `${before} ${since} ${count}`
    : `${before} ${since} ${count} ${JSON.stringify([newsId, marketId])}`;

const areSame = (some: readonly ListedItem[], others: readonly ListedItem[]): boolean =>
  some.length === others.length && some.every((item, i) => item === others[i]);

/** Where each item of these changes is after the last of them; those that it has taken away are not there. */
function scoredAtAfter(changes: readonly FeedChange[]): ReadonlyMap<string, Moment> {
  const scoredAts = new Map<string, Moment>();
  for (const change of changes) {
    if (change.kind === 'published') scoredAts.set(change.id, change.scoredAt);
    else scoredAts.delete(change.id);
  }
  return scoredAts;
}
