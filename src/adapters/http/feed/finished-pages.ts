import etag from 'etag';
import { LRUCache } from 'lru-cache';
import type { FeedReading } from '../../../application/feed/read-feed.js';
import type { RenderedItem } from '../../../application/ports/feed/feed-store.js';
import type { FeedPage } from '../../../domain/feed/feed-page.js';
import { feedPageJson } from './feed-page-json.js';

/** The body of a page, with its `ETag` (D36). */
type FinishedPage = { readonly body: Buffer; readonly tag: string };

/** `isKnown`: it was in memory, so that it cost no work. */
type FoundPage = FinishedPage & { readonly isKnown: boolean };

const BYTES_MAX = 64 * 1_024 * 1_024;
/**
 * The memory of a cached page in addition to its body. It also limits the number of cached empty pages: each different
 * query can create one.
 */
const OVERHEAD_BYTES = 2_048;

type Page = FeedPage<RenderedItem>;
type Reading = Pick<FeedReading, 'page' | 'bytesOf' | 'isInMemory'>;

/**
 * Caches pages with their tags. Queries that select the same items share a page. After a publication, only the pages
 * with other items than before are created again.
 *
 * Items are identified by their buffer objects. Only pages of items that stay in memory are cached: other items get new
 * buffers with each read.
 */
export class FinishedPages {
  readonly #numbers = new WeakMap<Buffer, number>();
  readonly #names = new WeakMap<Page, string>();
  readonly #pages: LRUCache<string, FoundPage>;
  #last = 0;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
    });
  }

  /** The bytes of an item may depend only on the item and on `marketId`. */
  of({ page, bytesOf, isInMemory }: Reading, marketId: string | null): FoundPage {
    if (!isInMemory) return { ...finished(page, bytesOf), isKnown: false };
    const shared = this.#names.get(page) ?? this.#nameOf(page);
    const name = marketId === null ? shared : `${JSON.stringify(marketId)} ${shared}`;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const fresh = finished(page, bytesOf);
    this.#pages.set(name, { ...fresh, isKnown: true });
    return { ...fresh, isKnown: false };
  }

  #nameOf(page: Page): string {
    let name = page.nextCursor === null ? 'last' : 'more';
    for (const { json } of page.items) name += ` ${this.#numberOf(json)}`;
    this.#names.set(page, name);
    return name;
  }

  #numberOf(json: Buffer): number {
    const known = this.#numbers.get(json);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(json, this.#last);
    return this.#last;
  }
}

function finished({ items, nextCursor }: Page, bytesOf: Reading['bytesOf']): FinishedPage {
  const body = feedPageJson(items.map(bytesOf), nextCursor);
  return { body, tag: etag(body, { weak: true }) };
}
