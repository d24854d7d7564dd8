import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../application/maybe-promise.js';
import type { Clock } from '../../application/ports/clock.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { Gate, GateEntry } from '../../application/ports/keys/gate.js';
import { Unavailable } from '../../application/unavailable.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { type Duration, type Moment, plus, SECOND } from '../../domain/moment.js';

/**
 * The age after which a copy is read again. Together with the time of this read, a lost invalidation delays a change by
 * at most 5 s (D39).
 */
const FRESH: Duration = 4.5 * SECOND;
/** How long the cache stores that a hash belongs to no key (D33). */
const UNKNOWN_FRESH: Duration = 5 * SECOND;
const KNOWN_MAX = 100_000;
/** Unknown hashes have a separate cache, so that guesses cannot evict existing keys. */
const UNKNOWN_MAX = 10_000;

type Copy = { readonly entry: GateEntry; readonly readAt: Moment; readonly freshUntil: Moment };

/**
 * A cache of gate entries. An invalidation drops the copies of its keys.
 *
 * While the store is unavailable, copies up to the age `maxStale` are used (D35). Concurrent requests for the same hash
 * share one lookup.
 */
export class CachedGate implements Gate {
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #maxStale: Duration;
  readonly #known = new LRUCache<KeyHash, Copy>({ max: KNOWN_MAX });
  // Limited by `maxSize`, because `max` allocates all entries at once.
  readonly #unknown = new LRUCache<KeyHash, Moment>({ maxSize: UNKNOWN_MAX, sizeCalculation: () => 1 });
  readonly #lookups = new Map<KeyHash, Promise<GateEntry | null>>();

  constructor(options: { gate: Gate; invalidations: Invalidations; clock: Clock; maxStale: Duration }) {
    this.#gate = options.gate;
    this.#clock = options.clock;
    this.#maxStale = options.maxStale;
    options.invalidations.listen((invalidation) => {
      if (invalidation.changed === 'account') for (const hash of invalidation.keys) this.#drop(hash);
    });
  }

  find(hash: KeyHash): MaybePromise<GateEntry | null> {
    const now = this.#clock();
    const copy = this.#known.get(hash);
    if (copy !== undefined && now < copy.freshUntil) return copy.entry;
    return this.#refresh(hash, now);
  }

  async #refresh(hash: KeyHash, now: Moment): Promise<GateEntry | null> {
    const unknownSince = this.#unknown.get(hash);
    if (unknownSince !== undefined && now < plus(unknownSince, UNKNOWN_FRESH)) return null;
    try {
      return await this.#lookUp(hash, now);
    } catch (fault) {
      // Read again: meanwhile an invalidation may have dropped the copy, or another lookup may have renewed it.
      const kept = this.#known.get(hash);
      const usable = kept !== undefined && now < plus(kept.readAt, this.#maxStale);
      if (fault instanceof Unavailable && usable) return kept.entry;
      throw fault;
    }
  }

  #lookUp(hash: KeyHash, now: Moment): Promise<GateEntry | null> {
    const pending = this.#lookups.get(hash);
    if (pending !== undefined) return pending;
    // Registered before the store is read: otherwise an invalidation in between would be missed.
    const lookup = Promise.resolve()
      .then(() => this.#gate.find(hash))
      .then((entry) => {
        // Not stored if an invalidation has removed the lookup from the map, because then the entry may be outdated.
        if (this.#lookups.get(hash) === lookup) this.#keep(hash, entry, now);
        return entry;
      })
      .finally(() => {
        if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
      });
    this.#lookups.set(hash, lookup);
    return lookup;
  }

  #keep(hash: KeyHash, entry: GateEntry | null, readAt: Moment): void {
    if (entry === null) {
      this.#known.delete(hash);
      this.#unknown.set(hash, readAt);
    } else {
      this.#unknown.delete(hash);
      this.#known.set(hash, { entry, readAt, freshUntil: plus(readAt, FRESH) });
    }
  }

  #drop(hash: KeyHash): void {
    this.#known.delete(hash);
    this.#unknown.delete(hash);
    this.#lookups.delete(hash);
  }
}
