import type { SubscriptionId } from '../../domain/billing/subscription.js';
import { paginate, readCountFor } from '../../domain/feed/feed-page.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import { type AsOf, pastPoint } from '../../domain/feed/history/as-of.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { FeedPast } from '../ports/feed/feed-past.js';
import { bytesFor, type FeedReading } from './read-feed.js';

/** A read of the past goes to the store and can take long, so one subscription has few at a time (D60). */
const READS_MAX = 2;

export type PastQuery = Omit<FeedQuery, 'terms'> & { readonly asOf: AsOf };

/** Reads pages of the feed as it was at an earlier change. */
export class ReadPastFeed {
  readonly #past: FeedPast;
  readonly #reading = new Map<SubscriptionId, number>();

  constructor({ feedPast }: { readonly feedPast: FeedPast }) {
    this.#past = feedPast;
  }

  /** `position` and `head` are those of the change that the page is read at. */
  async page(
    query: PastQuery,
    reader: SubscriptionId,
  ): Promise<FeedReading | Refusal<'before_history' | 'position_expired' | 'too_many_reads'>> {
    const reading = this.#reading.get(reader) ?? 0;
    if (reading >= READS_MAX) return refuse('too_many_reads');
    this.#reading.set(reader, reading + 1);
    try {
      return await this.#page(query);
    } finally {
      const left = (this.#reading.get(reader) ?? 1) - 1;
      if (left === 0) this.#reading.delete(reader);
      else this.#reading.set(reader, left);
    }
  }

  async #page({ asOf, limit, cursor, since, newsId, marketId }: PastQuery) {
    const point = pastPoint(asOf, await this.#past.find(asOf));
    if (isRefusal(point)) return point;
    const range = { before: cursor, since, newsId, marketId, count: readCountFor(limit) };
    // A purged version keeps its place, so that the page ends where it ended.
    const { items, nextCursor } = paginate(await this.#past.page(range, point), limit);
    return {
      page: { items: items.flatMap(({ item }) => item ?? []), nextCursor },
      head: point.head,
      position: point.position,
      version: null,
      bytesOf: bytesFor({ marketId, terms: NO_TERMS }),
    };
  }
}
