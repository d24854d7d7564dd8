import etag from 'etag';
import { LRUCache } from 'lru-cache';
import type { FeedReading, NarrowedTo } from '../../../application/feed/read-feed.js';
import type { RenderedItem } from '../../../application/ports/feed/feed-store.js';
import type { FeedPage } from '../../../domain/feed/feed-page.js';
import {
  type Position,
  type PositionToken,
  positionToken,
  samePosition,
} from '../../../domain/feed/position.js';
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
type Reading = Pick<FeedReading, 'page' | 'bytesOf' | 'version'>;

/**
 * Caches pages with their tags. Queries that select the same items share a page. After a publication, only the pages
 * with other items than before are created again. Only pages of items that stay in memory are cached: they have a version.
 */
export class FinishedPages {
  readonly #pages: LRUCache<string, FoundPage>;
  #lastPosition: Position | null = null;
  #lastToken: PositionToken | null = null;

  constructor(bytesMax: number = BYTES_MAX) {
    this.#pages = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
    });
  }

  /** The bodies, with what else a page takes. */
  get bytes(): number {
    return this.#pages.calculatedSize;
  }

  /** The bytes of an item may depend only on the item and on what narrows it. */
  of({ page, bytesOf, version }: Reading, narrowedTo: NarrowedTo): FoundPage {
    if (version === null) return { ...finished(page, bytesOf), isKnown: false };
    // With more items, the page has all but one of the items of the version.
    const end = page.nextCursor === null ? 'last' : 'more';
    const name = `${end}${version}${narrowedTo === null ? '' : ` ${JSON.stringify(narrowedTo)}`}`;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const fresh = finished(page, bytesOf);
    this.#pages.set(name, { ...fresh, isKnown: true });
    return { ...fresh, isKnown: false };
  }

  /** The token of a position. Between two changes all pages are at one, and making its token takes a tenth of a page. */
  tokenOf(position: Position): PositionToken {
    if (this.#lastToken !== null && samePosition(position, this.#lastPosition)) return this.#lastToken;
    this.#lastPosition = position;
    this.#lastToken = positionToken(position);
    return this.#lastToken;
  }
}

function finished({ items, nextCursor }: Page, bytesOf: Reading['bytesOf']): FinishedPage {
  const body = feedPageJson(items.map(bytesOf), nextCursor);
  return { body, tag: etag(body, { weak: true }) };
}
