import { allOf } from './all-of.js';
import type { FeedItem, FeedPage } from './api.js';
import { walkWouldNotEnd } from './errors.js';

/** A page of the feed, newest item first. */
export type Page = FeedPage & {
  /** Follow after this position, and you miss no change since this page. In a walk, that of the first page counts. */
  readonly position: string;
  /** The latest `scored_at` ever assigned: the `since` of the next poll. Null while the feed is empty. */
  readonly head: string | null;
  /** With `as_of`: the position at which the page was read. */
  readonly as_of: string | null;
};

/** Reads a page after a cursor. `asOf` is the position of the first page, so that all pages are of one state. */
type ReadPage = (cursor: string | undefined, asOf: string | undefined) => Promise<Page>;

/** All items of the feed, newest first, page by page. Iterate over it once. */
export class Walk implements AsyncIterable<FeedItem> {
  readonly #read: ReadPage;
  #first: Page | undefined;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  /** The position of the first page: follow after it, and you miss no change of the time of the walk. */
  get position(): string {
    const position = this.#first?.position;
    if (position === undefined)
      throw new Error('The first page is not read yet: iterate over the walk first.');
    return position;
  }

  /** All items at once. */
  toArray(): Promise<readonly FeedItem[]> {
    return allOf(this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedItem, void> {
    for (let cursor: string | undefined; ; ) {
      const page: Page = await this.#read(cursor, this.#first?.as_of ?? undefined);
      this.#first ??= page;
      yield* page.items;
      if (page.next_cursor === null) return;
      // Cursors are times of one fixed form, and become older with each page.
      if (cursor !== undefined && page.next_cursor >= cursor) throw walkWouldNotEnd();
      cursor = page.next_cursor;
    }
  }
}
