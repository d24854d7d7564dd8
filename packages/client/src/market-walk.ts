import type { Market, MarketPage } from './api.js';
import { OddswireError } from './errors.js';

/** All markets of the directory, page by page. Iterate over it once. */
export class MarketWalk implements AsyncIterable<Market> {
  readonly #read: (cursor: string | undefined) => Promise<MarketPage>;

  constructor(read: (cursor: string | undefined) => Promise<MarketPage>) {
    this.#read = read;
  }

  /** All markets at once. */
  async toArray(): Promise<readonly Market[]> {
    const markets: Market[] = [];
    for await (const market of this) markets.push(market);
    return markets;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Market, void> {
    // Cursors are opaque: only a repeated one shows that the walk would not end.
    const seen = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const { markets, next_cursor } = await this.#read(cursor);
      yield* markets;
      if (next_cursor === null) return;
      if (seen.has(next_cursor))
        throw new OddswireError('cursor_not_advancing', 'The walk would not end. A proxy may repeat a page.');
      seen.add(next_cursor);
      cursor = next_cursor;
    }
  }
}
