import etag from 'etag';
import { LRUCache } from 'lru-cache';
import type { RenderedItem } from '../../../application/ports/feed/feed-store.js';
import type { FeedPage } from '../../../domain/feed/feed-page.js';
import { feedPageJson } from './feed-page-json.js';

/** A page as it goes on the wire, with its tag (D36). */
type FinishedPage = { readonly body: Buffer; readonly tag: string };

const BYTES_MAX = 64 * 1_024 * 1_024;
/** What keeping a page costs beside its bytes: there are as many empty ones as there are texts to ask with. */
const BYTES_BESIDE = 2_048;

type Page = FeedPage<RenderedItem>;

/**
 * Pages put together and tagged once, and shared by all who ask for the same items, whatever their query says: so
 * a publication costs the pages that it changes, and no other.
 *
 * Items are told apart by their bytes in memory: only those that stay there, in a copy of the feed, make a page that is
 * worth keeping.
 */
export class FinishedPages {
  readonly #numbers = new WeakMap<Buffer, number>();
  readonly #names = new WeakMap<Page, string>();
  readonly #pages: LRUCache<string, FinishedPage>;
  #last = 0;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ body }, name) => body.length + name.length + BYTES_BESIDE,
    });
  }

  /** `bytesOf` gives what goes out of an item; it may depend on `marketId` and on nothing else. */
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

  /** Null where an item is seen for the first time: perhaps it is never seen again. */
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
