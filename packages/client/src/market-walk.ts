import { allOf } from './all-of.js';
import type { Market, MarketPage } from './api.js';
import { walkWouldNotEnd } from './errors.js';

/** All markets of the directory, page by page. Iterate over it once. */
export class MarketWalk implements AsyncIterable<Market> {
  readonly #read: (cursor: string | undefined) => Promise<MarketPage>;

  constructor(read: (cursor: string | undefined) => Promise<MarketPage>) {
    this.#read = read;
  }

  /** All markets at once. */
  toArray(): Promise<readonly Market[]> {
    return allOf(this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Market, void> {
    // Cursors are opaque: only a repeated one shows that the walk would not end.
    const seen = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const { markets, next_cursor } = await this.#read(cursor);
      yield* markets;
      if (next_cursor === null) return;
      if (seen.has(next_cursor)) throw walkWouldNotEnd();
      seen.add(next_cursor);
      cursor = next_cursor;
    }
  }
}
