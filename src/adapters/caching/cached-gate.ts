import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../application/maybe-promise.js';
import type { AccountChange } from '../../application/ports/change-logs.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { Gate, GateEntry, StoredGate } from '../../application/ports/keys/gate.js';
import type { MonotonicClock } from '../../application/ports/monotonic-clock.js';
import { Unavailable } from '../../application/unavailable.js';
import type { Position } from '../../domain/feed/position.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import type { ChangeFollower } from './change-follower.js';
import { isTooOld, isWithin, nextComparisonAt, nextRefreshAt, repeatedComparisonAt } from './copy-use.js';
import { hasApplied, refuseOlder } from './feed/older-snapshot.js';

const KNOWN_MAX = 100_000;
/** Below this number of copies, the order of use is not noted, because noting it takes longer than the look-up. */
const ORDERED_FROM = KNOWN_MAX / 2;
/** Unknown hashes have a separate cache, so that guesses cannot evict existing keys. */
const UNKNOWN_MAX = 10_000;

/** Times are milliseconds of the monotonic clock. */
type Copy = {
  readonly entry: GateEntry;
  /** The start of the look-up. */
  readonly readAt: number;
  /** When the copy is compared with the store. */
  compareAt: number;
  /** While the logs are not read: the earliest time of the next look-up. */
  refreshAt: number;
};

type Options = {
  readonly gate: StoredGate;
  readonly follower: Pick<
    ChangeFollower,
    'isCurrent' | 'readAt' | 'use' | 'untilCurrent' | 'readNow' | 'positions'
  >;
  readonly invalidations: Pick<Invalidations, 'listen'>;
  readonly now: MonotonicClock;
  /** While the store is unavailable, copies are used up to this age, in milliseconds (D35). */
  readonly maxStaleMs: number;
  /** A copy in use is compared with the store after this time, or up to twice as long, in milliseconds. */
  readonly compareAfterMs: number;
  /** Called when a copy differs from the store although the log has no change for it. That is a bug. */
  readonly onDivergence: (entry: GateEntry) => void;
  /** Gets every error of a look-up in the background except `Unavailable`. */
  readonly report: (fault: unknown) => void;
};

/**
 * A cache of gate entries. A copy is used until the log has a change for its key, or until an invalidation names the key,
 * which comes earlier.
 *
 * While the logs cannot be read, copies up to the age `maxStaleMs` are used (D35). Concurrent requests for the same hash
 * share one look-up.
 */
export class CachedGate implements Gate {
  readonly #options: Options;
  readonly #known = new LRUCache<KeyHash, Copy>({ max: KNOWN_MAX });
  // Limited by `maxSize`, because `max` allocates all entries at once.
  readonly #unknown: LRUCache<KeyHash, true>;
  readonly #lookUps = new Map<KeyHash, Promise<GateEntry | null>>();

  constructor(options: Options) {
    this.#options = options;
    const ttl = options.compareAfterMs;
    this.#unknown = new LRUCache({ maxSize: UNKNOWN_MAX, sizeCalculation: () => 1, ttl });
    options.invalidations.listen((invalidation) => {
      if (invalidation.changed === 'account') for (const hash of invalidation.keys) this.#drop(hash);
    });
  }

  find(hash: KeyHash): MaybePromise<GateEntry | null> {
    const { now, follower } = this.#options;
    const at = now();
    if (!follower.isCurrent(at)) return this.#findWhileNotCurrent(hash);
    const copy = this.#known.size < ORDERED_FROM ? this.#known.peek(hash) : this.#known.get(hash);
    if (copy !== undefined) {
      if (at >= copy.compareAt) void this.#compare(hash, copy);
      return copy.entry;
    }
    return this.#unknown.has(hash) ? null : this.#lookUp(hash);
  }

  /** Drops the copies that the changes concern, also those that are being looked up. */
  apply(changes: readonly AccountChange[]): void {
    for (const { keys } of changes) {
      if (keys === 'all') this.dropAll();
      else for (const hash of keys) this.#drop(hash);
    }
  }

  dropAll(): void {
    this.#known.clear();
    this.#unknown.clear();
    this.#lookUps.clear();
  }

  #findWhileNotCurrent(hash: KeyHash): MaybePromise<GateEntry | null> {
    const { follower, now, maxStaleMs } = this.#options;
    const copy = this.#known.get(hash);
    if (copy === undefined) return this.#lookUp(hash);
    if (follower.use() !== 'outdated') return this.#findWhenCurrent(hash);
    if (!isWithin(maxStaleMs, copy.readAt, follower.readAt, now())) return this.#lookUp(hash);
    this.#refresh(hash, copy);
    return copy.entry;
  }

  /**
   * Looks the key up in the background, at most once a second: the store may answer although the logs cannot be read. The
   * request does not wait for it (D35).
   */
  #refresh(hash: KeyHash, copy: Copy): void {
    const { now, report } = this.#options;
    const at = now();
    if (at < copy.refreshAt) return;
    copy.refreshAt = nextRefreshAt(at);
    this.#lookUp(hash).catch((fault: unknown) => {
      if (!(fault instanceof Unavailable)) report(fault);
    });
  }

  async #findWhenCurrent(hash: KeyHash): Promise<GateEntry | null> {
    return (await this.#options.follower.untilCurrent()) ? this.find(hash) : this.#findWhileNotCurrent(hash);
  }

  #lookUp(hash: KeyHash): Promise<GateEntry | null> {
    const pending = this.#lookUps.get(hash);
    if (pending !== undefined) return pending;
    // Registered before the store is read: otherwise a change in between would be missed.
    const lookUp: Promise<GateEntry | null> = Promise.resolve()
      .then(() => this.#read(hash, lookUp))
      .finally(() => {
        if (this.#lookUps.get(hash) === lookUp) this.#lookUps.delete(hash);
      });
    this.#lookUps.set(hash, lookUp);
    return lookUp;
  }

  async #read(hash: KeyHash, lookUp: Promise<GateEntry | null>): Promise<GateEntry | null> {
    const { gate, now } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const readAt = now();
      const applied = this.#applied();
      const { entry, position } = await gate.snapshot(hash);
      const isOlder = !hasApplied(position, applied);
      if ((isOlder || isTooOld(readAt, now())) && attempt === 1) continue;
      // It may lack a change of this key, so it is not used either (D35).
      refuseOlder(position, applied);
      // Not stored if a change has removed the look-up from the map, because then the entry may be outdated.
      if (this.#lookUps.get(hash) === lookUp) this.#keep(hash, entry, readAt);
      return entry;
    }
  }

  #keep(hash: KeyHash, entry: GateEntry | null, readAt: number): void {
    if (entry === null) {
      this.#known.delete(hash);
      this.#unknown.set(hash, true);
    } else {
      this.#unknown.delete(hash);
      const [compareAt, refreshAt] = [this.#nextComparison(), nextRefreshAt(readAt)];
      this.#known.set(hash, { entry, readAt, compareAt, refreshAt });
    }
  }

  #nextComparison(): number {
    const { now, compareAfterMs } = this.#options;
    return nextComparisonAt(now(), compareAfterMs, Math.random());
  }

  /**
   * Compares a copy with the store. A copy that differs is judged after the next read of the logs, because its change may
   * not have been read yet. If the copy is still there then, the logs miss a change.
   */
  async #compare(hash: KeyHash, copy: Copy): Promise<void> {
    const { gate, follower, onDivergence, report, now } = this.#options;
    copy.compareAt = Number.POSITIVE_INFINITY;
    let next = this.#nextComparison();
    try {
      const applied = this.#applied();
      const stored = await gate.snapshot(hash);
      if (!hasApplied(stored.position, applied)) {
        next = repeatedComparisonAt(now());
      } else if (!isDeepStrictEqual(stored.entry, copy.entry)) {
        await follower.readNow();
        if (this.#known.peek(hash) !== copy) return;
        this.#drop(hash);
        onDivergence(copy.entry);
      }
    } catch (fault) {
      if (!(fault instanceof Unavailable)) report(fault);
      next = repeatedComparisonAt(now());
    } finally {
      copy.compareAt = next;
    }
  }

  /** The last change of accounts that this process has applied; null before the first one. */
  #applied(): Position | null {
    return this.#options.follower.positions?.accounts ?? null;
  }

  #drop(hash: KeyHash): void {
    this.#known.delete(hash);
    this.#unknown.delete(hash);
    this.#lookUps.delete(hash);
  }
}
