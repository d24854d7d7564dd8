import { LRUCache } from 'lru-cache';
import type { FeedPageSnapshot, FeedRange, FeedStore } from '../../../application/ports/feed/feed-store.js';
import type { MonotonicClock } from '../../../application/ports/monotonic-clock.js';
import { Unavailable } from '../../../application/unavailable.js';
import { isShareable } from '../../../domain/copy-use.js';
import { nameOf } from './range-name.js';

const PAGES_MAX = 1_000;

type Read = { readonly beganAt: number; readonly page: Promise<FeedPageSnapshot | null> };

/** Pages of a store, each read once for all requests of a short time, so that many requests cause few reads. */
export class SharedPages {
  readonly #feed: Pick<FeedStore, 'page'>;
  readonly #now: MonotonicClock;
  readonly #reads = new LRUCache<string, Read>({ max: PAGES_MAX });

  constructor(feed: Pick<FeedStore, 'page'>, now: MonotonicClock) {
    this.#feed = feed;
    this.#now = now;
  }

  /** Null if the store is unavailable. */
  page(range: FeedRange): Promise<FeedPageSnapshot | null> {
    const name = nameOf(range);
    const known = this.#reads.get(name);
    const beganAt = this.#now();
    if (known !== undefined && isShareable(known.beganAt, beganAt)) return known.page;
    return this.#begin(name, range, beganAt);
  }

  /** The same, from a read that begins now. */
  newPage(range: FeedRange): Promise<FeedPageSnapshot | null> {
    return this.#begin(nameOf(range), range, this.#now());
  }

  #begin(name: string, range: FeedRange, beganAt: number): Promise<FeedPageSnapshot | null> {
    const page = this.#read(range);
    this.#reads.set(name, { beganAt, page });
    return page;
  }

  async #read(range: FeedRange): Promise<FeedPageSnapshot | null> {
    try {
      return await this.#feed.page(range);
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
      return null;
    }
  }
}
