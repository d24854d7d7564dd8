import etag from 'etag';
import { LRUCache } from 'lru-cache';
import type { RenderedItem } from '../../../application/ports/feed/feed-store.js';
import type { FeedPage } from '../../../domain/feed/feed-page.js';
import { feedPageJson } from './feed-page-json.js';

/** The body of a page, with its `ETag` (D36). */
type FinishedPage = { readonly body: Buffer; readonly tag: string };

const BYTES_MAX = 64 * 1_024 * 1_024;
/**
 * The memory of a cached page in addition to its body. It also limits the number of cached empty pages: each different
 * query can create one.
 */
const OVERHEAD_BYTES = 2_048;

type Page = FeedPage<RenderedItem>;

/**
 * Caches pages with their tags. Queries that select the same items share a page. After a publication, only the pages
 * with other items than before are created again.
 *
 * Items are identified by their buffer objects. Only the items in the copy of the feed keep their buffer objects, so
 * only pages of these items are cached.
 */
export class FinishedPages {
  readonly #numbers = new WeakMap<Buffer, number>();
  readonly #names = new WeakMap<Page, string>();
  readonly #pages: LRUCache<string, FinishedPage>;
  #last = 0;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
    });
  }

  /** `bytesOf` returns the bytes of an item in the response. They may depend only on the item and on `marketId`. */
  of(page: Page, marketId: string | null, bytesOf: (item: RenderedItem) => Buffer): FinishedPage {
    const shared = this.#names.get(page) ?? this.#nameOf(page);
    if (shared === null) return finished(page, bytesOf);
    this.#names.set(page, shared);
    const name = marketId === null ? shared : `${JSON.stringify(marketId)} ${shared}`;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const fresh = finished(page, bytesOf);
    this.#pages.set(name, fresh);
    return fresh;
  }

  /** Null if the page has an item that is new to the cache: such a page may never be requested again. */
  #nameOf({ items, nextCursor }: Page): string | null {
    let isKnown = true;
    let name = nextCursor === null ? 'last' : 'more';
    for (const { json } of items) {
      const number = this.#numbers.get(json);
      if (number === undefined) {
        isKnown = false;
        this.#last += 1;
        this.#numbers.set(json, this.#last);
      } else name += ` ${number}`;
    }
    return isKnown ? name : null;
  }
}

function finished({ items, nextCursor }: Page, bytesOf: (item: RenderedItem) => Buffer): FinishedPage {
  const body = feedPageJson(items.map(bytesOf), nextCursor);
  return { body, tag: etag(body, { weak: true }) };
}
