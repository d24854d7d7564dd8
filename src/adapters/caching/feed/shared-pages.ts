import { LRUCache } from 'lru-cache';
import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../../application/ports/feed/feed-store.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { Unavailable } from '../../../application/unavailable.js';
import { isShareable, SHARED_MS } from '../copy-use.js';
import { nameOf } from './range-name.js';

const PAGES_MAX = 1_000;

/** A page, or why the store cannot return it now. */
export type SharedPage = FeedPageSnapshot | Unavailable;

type Read = { readonly beganAt: number; readonly page: Promise<SharedPage> };

type UnderWay = { readonly page: Promise<SharedPage>; next: Promise<SharedPage> | null };

/** Pages of a store, each read once for all requests of a short time, so that many requests cause few reads. */
export class SharedPages {
  readonly #feed: FeedPages;
  readonly #now: MonotonicClock;
  /** The reads of `nextPage` that have no answer yet. */
  readonly #underWay = new Map<string, UnderWay>();
  /** A page has up to 500 items of its own, so it is dropped when no request may use it any more. */
  readonly #reads = new LRUCache<string, Read>({ max: PAGES_MAX, ttl: SHARED_MS, ttlAutopurge: true });

  constructor(feed: FeedPages, now: MonotonicClock) {
    this.#feed = feed;
    this.#now = now;
  }

  /** A page of a read that began a short time ago, or begins now. */
  page(range: FeedRange): Promise<SharedPage> {
    const name = nameOf(range);
    const known = this.#reads.get(name);
    const beganAt = this.#now();
    if (known !== undefined && isShareable(known.beganAt, beganAt)) return known.page;
    return this.#begin(name, range, beganAt);
  }

  /**
   * A page of a read that begins after this call: at once, or when the read under way ends. All calls that wait meanwhile share
   * this next read.
   */
  nextPage(range: FeedRange): Promise<SharedPage> {
    const name = nameOf(range);
    const underWay = this.#underWay.get(name);
    if (underWay === undefined) return this.#beginNext(name, range);
    const begin = () => this.#beginNext(name, range);
    underWay.next ??= underWay.page.then(begin, begin);
    return underWay.next;
  }

  #beginNext(name: string, range: FeedRange): Promise<SharedPage> {
    const page = this.#begin(name, range, this.#now());
    const underWay: UnderWay = { page, next: null };
    this.#underWay.set(name, underWay);
    const end = () => {
      if (underWay.next === null) this.#underWay.delete(name);
    };
    page.then(end, end);
    return page;
  }

  #begin(name: string, range: FeedRange, beganAt: number): Promise<SharedPage> {
    const page = this.#read(range);
    this.#reads.set(name, { beganAt, page });
    return page;
  }

  async #read(range: FeedRange): Promise<SharedPage> {
    try {
      return await this.#feed.page(range);
    } catch (fault) {
      if (fault instanceof Unavailable) return fault;
      throw fault;
    }
  }
}
