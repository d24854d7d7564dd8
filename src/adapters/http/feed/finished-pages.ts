import etag from 'etag';
import { LRUCache } from 'lru-cache';
import type { RenderedItem } from '../../../application/ports/feed-store.js';
import type { FeedPage } from '../../../domain/feed-page.js';
import { feedPageJson } from './feed-page-json.js';

/** A page as it goes on the wire, with its tag (D36). */
export type FinishedPage = { readonly body: Buffer; readonly tag: string };

const BYTES_MAX = 64 * 1_024 * 1_024;

/**
 * Pages put together and tagged once, and shared by all who ask for the same items, whatever their query says: so
 * a publication costs the pages that it changes, and no other.
 *
 * Items are told apart by their bytes in memory: only those that stay there, in a copy of the feed, make a page that is
 * worth keeping.
 */
export class FinishedPages {
  readonly #numbers = new WeakMap<Buffer, number>();
  readonly #pages = new LRUCache<string, FinishedPage>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body }) => body.length,
  });
  #last = 0;

  of(page: FeedPage<RenderedItem>): FinishedPage {
    const name = this.#nameOf(page);
    if (name === null) return finished(page);
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const fresh = finished(page);
    this.#pages.set(name, fresh);
    return fresh;
  }

  /** Null where an item is seen for the first time: perhaps it is never seen again. */
  #nameOf({ items, nextCursor }: FeedPage<RenderedItem>): string | null {
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

function finished(page: FeedPage<RenderedItem>): FinishedPage {
  const body = feedPageJson(page);
  return { body, tag: etag(body, { weak: true }) };
}
