import type { FeedChange } from '../../../application/ports/change-logs.js';
import type {
  FeedPast,
  HistoryChange,
  HistoryPart,
  HistoryReading,
  NotedPurge,
  PastItem,
  PastRange,
  PublishedCount,
} from '../../../application/ports/feed/feed-past.js';
import type { ListedItem, PurgeOrder } from '../../../application/ports/feed/feed-store.js';
import { headAfter } from '../../../domain/feed/head-after.js';
import type { AsOf, FoundPoint, PastPoint } from '../../../domain/feed/history/as-of.js';
import type { Position } from '../../../domain/feed/position.js';
import { startOfMinute } from '../../../domain/feed/publication-record.js';
import { latest, type Moment } from '../../../domain/moment.js';

/** The changes that are kept, and the bytes of versions that have left the feed: a demo that runs for months must not fill the memory. */
const CHANGES_MAX = 20_000;
const BYTES_MAX = 64 * 1_024 * 1_024;

/** A version is in the feed at change `p` if `n <= p < untilN`. `item` is null once it is purged. */
type Version = {
  readonly n: number;
  untilN: number;
  readonly id: string;
  readonly scoredAt: Moment;
  readonly subMarketIds: readonly string[];
  item: ListedItem | null;
};

type Entry = PastPoint & {
  /** The id of the item; null for a change of none. */
  readonly id: string | null;
  /** Null for a change of no item, and for one that a later change of the same publication supersedes. */
  readonly change: HistoryChange | null;
};

/** The history of a feed in memory: the newest changes. An earlier one is before the history. */
export class MemoryFeedPast implements FeedPast {
  readonly #clock: () => Moment;
  readonly #changesMax: number;
  /** Oldest first, without gaps. The first one is the start of the history. */
  #entries: Entry[];
  /** Of every item that is in the feed, and of every one that left it after the start. */
  #versions: Version[] = [];
  readonly #open = new Map<string, Version>();
  readonly #revisions = new Map<string, number>();
  readonly #purges: NotedPurge[] = [];
  /** Of the versions that have left the feed. The others are in the feed itself. */
  #bytes = 0;

  constructor(start: Position, clock: () => Moment, changesMax: number = CHANGES_MAX) {
    this.#clock = clock;
    this.#changesMax = changesMax;
    this.#entries = [{ position: start, knownAt: clock(), head: null, id: null, change: null }];
  }

  /** The number of the change at which the history begins. */
  get startNumber(): number {
    return (this.#entries[0] ?? this.#newest).position.n;
  }

  /** When a change that is made now becomes known: never before the change before it (D59). */
  nextKnownAt(): Moment {
    return latest(this.#newest.knownAt, this.#clock());
  }

  /**
   * Notes a change of the log. `item`: what a publication has stored. `isSuperseded`: the same publication has a later change of
   * the id, so that this one is no change.
   */
  note(
    change: FeedChange & { readonly knownAt: Moment },
    item: ListedItem | null,
    isSuperseded: boolean,
  ): void {
    const head = headAfter(this.#newest.head, change);
    const { knownAt } = change;
    const isOfItem = change.kind !== 'raised' && !isSuperseded;
    const own = isOfItem ? this.#ofItem(change, knownAt, item) : null;
    const id = change.kind === 'raised' ? null : change.id;
    this.#entries.push({ position: change.position, knownAt, head, id, change: own });
    this.#trim();
  }

  knows(id: string): boolean {
    return this.#revisions.has(id);
  }

  /** Whether a version of the id has its text. */
  hasTextOf(id: string): boolean {
    return this.#versions.some((version) => version.id === id && version.item !== null);
  }

  /** Erases every version of an id, after its retraction was noted: it becomes a purge. */
  purge(id: string, order: PurgeOrder): void {
    const { position, knownAt } = this.#newest;
    this.#purges.unshift({ id, knownAt, ...order });
    for (const version of this.#versions) {
      if (version.id !== id || version.item === null) continue;
      this.#bytes -= version.item.json.length;
      version.item = null;
    }
    this.#entries = this.#entries.map((entry) =>
      entry.change?.id === id ? { ...entry, change: purged(entry.change, position.n) } : entry,
    );
  }

  async publishedPerMinute(from: Moment): Promise<readonly PublishedCount[]> {
    const counts = new Map<Moment, number>();
    for (const { knownAt, change } of this.#entries) {
      if (knownAt < from || (change?.kind !== 'published' && change?.kind !== 'replaced')) continue;
      const start = startOfMinute(knownAt);
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
    return [...counts].map(([start, published]) => ({ start, published }));
  }

  async purges(count: number): Promise<readonly NotedPurge[]> {
    return this.#purges.slice(0, count);
  }

  async find(asOf: AsOf): Promise<FoundPoint> {
    const [start = this.#newest] = this.#entries;
    const point =
      asOf.by === 'position'
        ? this.#entries[asOf.position.n - start.position.n]
        : this.#entries.findLast(({ knownAt }) => knownAt <= asOf.time);
    return { start, point: point ?? null };
  }

  async page(range: PastRange, { position: { n } }: PastPoint): Promise<readonly PastItem[]> {
    const { before, since, newsId, marketId, count } = range;
    return this.#versions
      .filter(
        (version) =>
          version.n <= n &&
          n < version.untilN &&
          (before === null || version.scoredAt < before) &&
          (since === null || version.scoredAt >= since) &&
          (newsId === null || version.id === newsId) &&
          (marketId === null || version.subMarketIds.includes(marketId)),
      )
      .sort((a, b) => (a.scoredAt < b.scoredAt ? 1 : a.scoredAt > b.scoredAt ? -1 : b.n - a.n))
      .filter(({ scoredAt }, i, all) => all[i - 1]?.scoredAt !== scoredAt)
      .slice(0, count);
  }

  async changes({ after, until, newsId, count, bytesMax }: HistoryReading): Promise<HistoryPart> {
    const [start = this.#newest] = this.#entries;
    const first = Math.max(0, after + 1 - start.position.n);
    const read: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#entries.slice(first, Math.max(first, until + 1 - start.position.n))) {
      if (read.length >= count || bytes >= bytesMax) break;
      if (newsId !== null && entry.id !== newsId) continue;
      read.push(entry);
      bytes += sizeOf(entry.change);
    }
    const changes = read.flatMap(({ change }) => change ?? []);
    return { changes, last: read.at(-1)?.position ?? null, read: read.length };
  }

  async last(id: string): Promise<HistoryChange | null> {
    return this.#entries.findLast(({ change }) => change?.id === id)?.change ?? null;
  }

  get #newest(): Entry {
    const newest = this.#entries.at(-1);
    if (newest === undefined) throw new Error('the newest change was removed');
    return newest;
  }

  #ofItem(
    change: Exclude<FeedChange, { readonly kind: 'raised' }>,
    knownAt: Moment,
    item: ListedItem | null,
  ): HistoryChange {
    const { id, position, kind } = change;
    const ended = this.#open.get(id);
    if (ended !== undefined) ended.untilN = position.n;
    this.#bytes += ended?.item?.json.length ?? 0;
    this.#open.delete(id);
    const revision = (this.#revisions.get(id) ?? 0) + 1;
    this.#revisions.set(id, revision);
    const known = { position, knownAt, id, revision };
    if (kind === 'retracted') return { ...known, kind, scoredAt: ended?.scoredAt ?? null };
    const { scoredAt } = change;
    const version = {
      n: position.n,
      untilN: Number.POSITIVE_INFINITY,
      id,
      scoredAt,
      subMarketIds: [],
      ...item,
      item,
    };
    this.#versions.push(version);
    this.#open.set(id, version);
    return { ...known, kind, scoredAt, item: item ?? 'missing' };
  }

  /** Drops the oldest tenth of the changes, with the versions that ended there, and what is known of their ids. */
  #trim(): void {
    if (this.#entries.length <= this.#changesMax && this.#bytes <= BYTES_MAX) return;
    const dropped = Math.max(1, Math.floor(this.#entries.length / 10));
    this.#entries = this.#entries.slice(Math.min(dropped, this.#entries.length - 1));
    const start = this.startNumber;
    for (const { untilN, item } of this.#versions) if (untilN <= start) this.#bytes -= item?.json.length ?? 0;
    this.#versions = this.#versions.filter(({ untilN }) => untilN > start);
    const known = new Set(this.#entries.map(({ id }) => id));
    for (const id of this.#revisions.keys())
      if (!known.has(id) && !this.#open.has(id)) this.#revisions.delete(id);
  }
}

/** A change of an id after the purge at change `n`. */
function purged(change: HistoryChange, n: number): HistoryChange {
  if ('item' in change) return { ...change, item: 'purged' };
  return change.position.n === n ? { ...change, kind: 'purged' } : change;
}

const sizeOf = (change: HistoryChange | null): number =>
  change !== null && 'item' in change && typeof change.item === 'object' ? change.item.json.length : 0;
