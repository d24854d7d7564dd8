import type {
  FeedHistory,
  ItemsPart,
  LogPart,
  StoredChange,
} from '../../../application/ports/feed/feed-history.js';
import type { Moment } from '../../../domain/moment.js';
import type { MemoryFeedStore } from './memory-feed-store.js';

/** The past of a feed in memory. A change that is no longer in the log has no number for its item. */
export class MemoryFeedHistory implements FeedHistory {
  readonly #feed: Pick<MemoryFeedStore, 'log' | 'withItems' | 'itemsAfter'>;

  constructor(feed: Pick<MemoryFeedStore, 'log' | 'withItems' | 'itemsAfter'>) {
    this.#feed = feed;
  }

  async changes(first: number, count: number, bytesMax = Number.MAX_SAFE_INTEGER): Promise<LogPart> {
    const { log } = this.#feed;
    const changes = log
      .range(first, count)
      .map(({ position, change }) => ({ position, ...(change ?? { kind: 'start' as const }) }));
    const stored = this.#feed.withItems(changes);
    return { oldest: log.oldest, newest: log.newest, changes: upTo(bytesMax, stored) };
  }

  async itemsAfter(after: Moment, count: number): Promise<ItemsPart> {
    return { newest: this.#feed.log.newest, items: this.#feed.itemsAfter(after, count) };
  }
}

function upTo(bytesMax: number, changes: readonly StoredChange[]): readonly StoredChange[] {
  let bytes = 0;
  return changes.filter((change) => {
    const isIncluded = bytes < bytesMax;
    if ('item' in change) bytes += change.item?.json.length ?? 0;
    return isIncluded;
  });
}
