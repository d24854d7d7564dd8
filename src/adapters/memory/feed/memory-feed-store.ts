import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { KnownItem, LogStart, StoredChange } from '../../../application/ports/feed/feed-history.js';
import type {
  FeedPageSnapshot,
  FeedRange,
  FeedStore,
  FoundItems,
  ItemToPublish,
  ListedItem,
  NumberedItem,
  PublishedItem,
  Purge,
  PurgeOrder,
} from '../../../application/ports/feed/feed-store.js';
import { assignScoredAt, type PublishMode } from '../../../domain/feed/assign-scored-at.js';
import { FeedIndex } from '../../../domain/feed/feed-index.js';
import type { Mark, Position } from '../../../domain/feed/position.js';
import { judgePublications, versionsAfter } from '../../../domain/feed/publication-outcome.js';
import { raisedHead } from '../../../domain/feed/raised-head.js';
import { fromEpochMillis, type Moment } from '../../../domain/moment.js';
import { MemoryLog } from '../memory-log.js';
import { MemoryFeedPast } from './memory-feed-past.js';

type Change = FeedChange extends infer C
  ? C extends FeedChange
    ? Omit<C, 'position' | 'knownAt'>
    : never
  : never;
type KnownChange = Change & { readonly knownAt: Moment };

/** The feed of one process, for demos and tests. It needs no lock, because nothing is awaited between read and write. */
export class MemoryFeedStore implements FeedStore {
  readonly log: MemoryLog<KnownChange>;
  readonly #items = new FeedIndex<ListedItem>();
  /** The last change of each item. */
  readonly #last = new Map<string, { readonly n: number; readonly knownAt: Moment }>();
  #head: Moment | null = null;

  readonly past: MemoryFeedPast;

  /** `mark` returns the mark of each change; by default a random one. `clock` says when changes become known (D59). */
  constructor(mark?: () => Mark, clock: () => Moment = realTime) {
    this.log = new MemoryLog(mark);
    this.past = new MemoryFeedPast(this.log.newest, clock);
  }

  get state(): { readonly position: Position; readonly head: Moment | null } {
    return { position: this.log.newest, head: this.#head };
  }

  async publish(items: readonly ItemToPublish[], mode: PublishMode): Promise<readonly PublishedItem[]> {
    const found = items.flatMap(({ id }) => this.#items.get(id) ?? []);
    const stored = new Map(found.map((item) => [item.id, item]));
    const judged = judgePublications(
      items.map((item) => ({ ...item, mode })),
      stored,
    );
    const accepted = judged.flatMap(({ outcome, item }) => (outcome === 'accepted' ? [item] : []));
    return versionsAfter(judged, stored, this.#publish(accepted, mode));
  }

  #publish(items: readonly ItemToPublish[], mode: PublishMode): readonly ListedItem[] {
    // The old times of all items in the batch become free before the first item gets its new time.
    const known = new Set(items.flatMap(({ id }) => (this.#items.remove(id) ? [id] : [])));
    const last = new Map(items.map(({ id }, i) => [id, i]));
    return items.map(({ id, subMarketIds, json, scoredAt }, i) => {
      this.#items.remove(id);
      const isTaken = (scoredAt: Moment) => this.#items.at(scoredAt) !== undefined;
      const { at, head } = assignScoredAt(this.#head, isTaken, scoredAt, mode);
      this.#head = head;
      const published = { id, scoredAt: at, subMarketIds, json };
      this.#items.add(published);
      const kind = known.has(id) ? 'replaced' : 'published';
      const change = { kind, id, scoredAt: at } as const;
      this.#last.set(id, this.#add(change, published, last.get(id) !== i));
      return published;
    });
  }

  async retract(id: string): Promise<boolean> {
    const isKnown = this.#items.remove(id);
    if (!isKnown) return false;
    this.#last.delete(id);
    this.#add({ kind: 'retracted', id }, null);
    return true;
  }

  async purge(id: string, order: PurgeOrder): Promise<Purge> {
    const isLive = this.#items.remove(id);
    if (!isLive && !this.past.hasTextOf(id)) return this.past.knows(id) ? 'purged before' : 'unknown';
    this.#last.delete(id);
    this.#add({ kind: 'retracted', id }, null);
    this.past.purge(id, order);
    return 'purged';
  }

  page(range: FeedRange): FeedPageSnapshot {
    if (range.terms.length > 0) this.#items.readTerms(this.#items.size);
    const items = this.#items.newest(range);
    return { items, ...this.state, version: this.#items.versionOf(items) };
  }

  async find(ids: readonly string[]): Promise<FoundItems> {
    const items = ids.flatMap((id) => this.#items.get(id) ?? []);
    return { items: items.map((item) => this.#numbered(item)), position: this.log.newest };
  }

  /** Changes of the log, each with its item if that has not changed since. */
  withItems(changes: readonly (FeedChange | LogStart)[]): readonly StoredChange[] {
    return changes.map((change) => this.#withItem(change));
  }

  /** At most `count` items with `scoredAt > after`, oldest first. */
  itemsAfter(after: Moment, count: number): readonly KnownItem[] {
    return this.#items
      .after(after, count)
      .map((item) => ({ ...this.#numbered(item), knownAt: this.#last.get(item.id)?.knownAt ?? null }));
  }

  async raiseHead(seen: Moment | null, now: Moment): Promise<Moment | null> {
    const head = raisedHead(this.#head, seen, now);
    if (head === null) return null;
    this.#head = head;
    this.#add({ kind: 'raised', head }, null);
    return head;
  }

  /** The log has the changes of the history only, so that memory has a bound. */
  #add(change: Change, item: ListedItem | null, isSuperseded = false) {
    const known = { ...change, knownAt: this.past.nextKnownAt() };
    const n = this.log.add(known);
    this.past.note({ position: this.log.newest, ...known }, item, isSuperseded);
    if (this.past.startNumber > this.log.oldest)
      this.log.removeOldest(this.past.startNumber - this.log.oldest);
    return { n, knownAt: known.knownAt };
  }

  #numbered(item: ListedItem): NumberedItem {
    return { ...item, n: this.#last.get(item.id)?.n ?? 0 };
  }

  #withItem(change: FeedChange | LogStart): StoredChange {
    switch (change.kind) {
      case 'published':
      case 'replaced': {
        const isLast = this.#last.get(change.id)?.n === change.position.n;
        return { ...change, item: (isLast ? this.#items.get(change.id) : undefined) ?? null };
      }
      case 'retracted':
      case 'raised':
      case 'start':
        return change;
    }
  }
}

const realTime = (): Moment => fromEpochMillis(Date.now());
