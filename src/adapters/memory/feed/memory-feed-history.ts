import type { FeedHistory, ItemsPart, LogPart } from '../../../application/ports/feed/feed-history.js';
import type { Moment } from '../../../domain/moment.js';
import type { MemoryFeedStore } from './memory-feed-store.js';

/** The past of a feed in memory. A change that is no longer in the log has no number for its item. */
export class MemoryFeedHistory implements FeedHistory {
  readonly #feed: Pick<MemoryFeedStore, 'log' | 'withItems' | 'itemsAfter'>;

  constructor(feed: Pick<MemoryFeedStore, 'log' | 'withItems' | 'itemsAfter'>) {
    this.#feed = feed;
  }

  async changes(first: number, count: number): Promise<LogPart> {
    const { log } = this.#feed;
    const changes = log
      .range(first, count)
      .map(({ position, change }) => ({ position, ...(change ?? { kind: 'start' as const }) }));
    return { oldest: log.oldest, newest: log.newest, changes: this.#feed.withItems(changes) };
  }

  async itemsAfter(after: Moment, count: number): Promise<ItemsPart> {
    return { newest: this.#feed.log.newest, items: this.#feed.itemsAfter(after, count) };
  }
}
