import type {
  FeedHistory,
  ItemsPart,
  LoggedPositions,
  LogPart,
} from '../../../application/ports/feed/feed-history.js';
import type { RenderedItem } from '../../../application/ports/feed/feed-store.js';
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
    const logged = log
      .range(first, count)
      .map(({ position, change }) => ({ position, ...(change ?? { kind: 'start' as const }) }));
    const stored = this.#feed.withItems(logged);
    const changes = upTo(bytesMax, stored, (change) => ('item' in change ? change.item : null));
    return { oldest: log.oldest, newest: log.newest, changes };
  }

  async itemsAfter(after: Moment, count: number, bytesMax = Number.MAX_SAFE_INTEGER): Promise<ItemsPart> {
    const items = upTo(bytesMax, this.#feed.itemsAfter(after, count), (item) => item);
    return { newest: this.#feed.log.newest, items };
  }

  async positionsOf(numbers: readonly number[]): Promise<LoggedPositions> {
    const { log } = this.#feed;
    const found = numbers.flatMap((n) => log.range(n, 1).map(({ position }) => [n, position] as const));
    return { oldest: log.oldest, newest: log.newest, positions: new Map(found) };
  }
}

/** Ends after the entry with which the items have this many bytes. */
function upTo<Entry>(
  bytesMax: number,
  entries: readonly Entry[],
  itemOf: (entry: Entry) => RenderedItem | null,
): readonly Entry[] {
  let bytes = 0;
  return entries.filter((entry) => {
    const isIncluded = bytes < bytesMax;
    bytes += itemOf(entry)?.json.length ?? 0;
    return isIncluded;
  });
}
