import { setImmediate } from 'node:timers/promises';
import type { Collected, FeedBatches } from '../../application/ports/destinations/feed-batches.js';
import { Unavailable } from '../../application/unavailable.js';
import { hasRoom } from '../../domain/destinations/batch-limits.js';
import type { DestinationId } from '../../domain/destinations/destination.js';
import type { Position } from '../../domain/feed/position.js';
import type { StreamFilter } from '../../domain/feed/stream-filter.js';
import { FIRST_MOMENT, type Moment } from '../../domain/moment.js';
import { Listeners } from '../listeners/listeners.js';
import type { ChangeEntry } from './changes/change-entry.js';
import type { LiveFeed } from './changes/live-feed.js';
import { FilterIndex } from './filter-index.js';

/** After so many changes, requests get their turn. */
const CHANGES_PER_SLICE = 200;
/** The most changes that are looked at for a batch. */
const LOOKED_MAX = 5_000;

type Follower = { readonly id: DestinationId; readonly filter: StreamFilter };
type Bounds = Parameters<FeedBatches['collect']>[2];

/** The feed for destinations, from the changes that this process has for streams. */
export class DestinationBatches implements FeedBatches {
  readonly #liveFeed: LiveFeed;
  readonly #index = new FilterIndex<Follower>();
  readonly #followers = new Map<DestinationId, Follower>();
  readonly #matches = new Listeners<readonly [DestinationId, Position]>();
  #newest: Position | null;

  constructor(liveFeed: LiveFeed) {
    this.#liveFeed = liveFeed;
    this.#newest = liveFeed.position;
    liveFeed.onEntries((entries) => this.#match(entries));
    liveFeed.onRebuild(() => {
      this.#newest = liveFeed.position;
    });
  }

  newest(): Position {
    const { position } = this.#liveFeed;
    if (position === null) throw new Unavailable('the change log of the feed');
    return position;
  }

  async isValid(position: Position): Promise<boolean> {
    const state = await this.#liveFeed.stateOf(position);
    if (state !== 'ahead') return state === 'valid';
    await this.#liveFeed.readNow();
    return (await this.#liveFeed.stateOf(position)) === 'valid';
  }

  async collect(filter: StreamFilter, from: Position, bounds: Bounds): Promise<Collected | 'gone'> {
    const found = new Found(from, bounds);
    for (let looked = 1; ; looked += 1) {
      const entry = await this.#entry(found.until.n + 1, bounds);
      if (entry === 'gone') return 'gone';
      if (entry === undefined) return found.collected(true);
      if (!found.add(entry, filter) || found.isComplete(looked)) return found.collected(false);
      if (looked % CHANGES_PER_SLICE === 0) await setImmediate();
    }
  }

  follow(id: DestinationId, filter: StreamFilter): void {
    this.unfollow(id);
    const follower = { id, filter };
    this.#followers.set(id, follower);
    this.#index.add(follower);
  }

  unfollow(id: DestinationId): void {
    const follower = this.#followers.get(id);
    if (follower === undefined) return;
    this.#followers.delete(id);
    this.#index.remove(follower);
  }

  onMatch(listener: (id: DestinationId, before: Position) => void): () => void {
    return this.#matches.add(([id, before]) => listener(id, before));
  }

  onRebuild(listener: () => void): () => void {
    return this.#liveFeed.onRebuild(listener);
  }

  /** Undefined: the end of the log, or of the bounds. A change that another process has stored in a batch is waited for. */
  async #entry(n: number, bounds: Bounds): Promise<ChangeEntry | 'gone' | undefined> {
    const isBounded = 'until' in bounds;
    if (isBounded && n > bounds.until.n) return undefined;
    const entry = await this.#liveFeed.entry(n);
    if (entry !== undefined || !isBounded) return entry;
    await this.#liveFeed.readNow();
    const read = await this.#liveFeed.entry(n);
    if (read === undefined) throw new Unavailable('the change log of the feed');
    return read;
  }

  #match(entries: readonly ChangeEntry[]): void {
    const before = this.#newest;
    this.#newest = entries.at(-1)?.position ?? before;
    if (before === null || this.#index.size === 0) return;
    this.#index.each(entries, ({ id }) => this.#matches.notify([id, before]));
  }
}

/** The messages of one batch so far. */
class Found {
  readonly #bounds: Bounds;
  readonly #messages: Buffer[] = [];
  #bytes = 0;
  #firstKnownAt: Moment | null = null;
  until: Position;

  constructor(from: Position, bounds: Bounds) {
    this.until = from;
    this.#bounds = bounds;
  }

  /** False if the batch has no room for the message of this change. */
  add(entry: ChangeEntry, filter: StreamFilter): boolean {
    const message = entry.messageFor(filter);
    if (message !== null) {
      const json = Buffer.concat([Buffer.from(message.start), message.content.text]);
      const soFar = { messages: this.#messages.length, bytes: this.#bytes };
      if ('bytes' in this.#bounds && !hasRoom(this.#bounds, soFar, json.length)) return false;
      this.#messages.push(json);
      this.#bytes += json.length + 1;
      this.#firstKnownAt ??= knownAtOf(entry);
    }
    this.until = entry.position;
    return true;
  }

  isComplete(looked: number): boolean {
    return !('until' in this.#bounds) && looked >= LOOKED_MAX;
  }

  collected(isEnd: boolean): Collected {
    return { until: this.until, messages: this.#messages, isEnd, firstKnownAt: this.#firstKnownAt };
  }
}

/** Changes of 0.2.0 may have no time: they are old. */
const knownAtOf = ({ change }: ChangeEntry): Moment =>
  ('knownAt' in change ? change.knownAt : null) ?? FIRST_MOMENT;
