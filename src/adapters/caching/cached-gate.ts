import { LRUCache } from 'lru-cache';
import type { MaybePromise } from '../../application/maybe-promise.js';
import type { Clock } from '../../application/ports/clock.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { Gate, GateEntry } from '../../application/ports/keys/gate.js';
import { Unavailable } from '../../application/unavailable.js';
import type { KeyHash } from '../../domain/keys/key-value.js';
import { type Duration, type Moment, plus, SECOND } from '../../domain/moment.js';

/** A copy is read again after this long: a lost hint costs no more than 5 s, with the time to read it (D39). */
const FRESH: Duration = 4.5 * SECOND;
/** So long a hash that nobody has is remembered (D33). */
const UNKNOWN_FRESH: Duration = 5 * SECOND;
const KNOWN_MAX = 100_000;
/** Guessed keys have a cache of their own: they must not push out those that exist. */
const UNKNOWN_MAX = 10_000;

type Copy = { readonly entry: GateEntry; readonly readAt: Moment; readonly freshUntil: Moment };

/**
 * Copies of what the gate said, dropped by signals.
 *
 * While the store is away, a copy goes on being used for `maxStale` (D35). A hash that is asked for
 * by many at once is looked up once.
 */
export class CachedGate implements Gate {
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #maxStale: Duration;
  readonly #known = new LRUCache<KeyHash, Copy>({ max: KNOWN_MAX });
  // By size: a cache by number would allocate all its places at once.
  readonly #unknown = new LRUCache<KeyHash, Moment>({ maxSize: UNKNOWN_MAX, sizeCalculation: () => 1 });
  readonly #asked = new Map<KeyHash, Promise<GateEntry | null>>();

  constructor(parts: { gate: Gate; invalidations: Invalidations; clock: Clock; maxStale: Duration }) {
    this.#gate = parts.gate;
    this.#clock = parts.clock;
    this.#maxStale = parts.maxStale;
    parts.invalidations.listen((invalidation) => {
      if (invalidation.changed === 'account') for (const hash of invalidation.keys) this.#drop(hash);
    });
  }

  find(hash: KeyHash): MaybePromise<GateEntry | null> {
    const now = this.#clock();
    const copy = this.#known.get(hash);
    if (copy !== undefined && now < copy.freshUntil) return copy.entry;
    return this.#findAnew(hash, now);
  }

  async #findAnew(hash: KeyHash, now: Moment): Promise<GateEntry | null> {
    const unknownSince = this.#unknown.get(hash);
    if (unknownSince !== undefined && now < plus(unknownSince, UNKNOWN_FRESH)) return null;
    try {
      return await this.#ask(hash, now);
    } catch (fault) {
      // Looked up again: a hint may have dropped the copy meanwhile, or a newer one have come.
      const kept = this.#known.get(hash);
      const usable = kept !== undefined && now < plus(kept.readAt, this.#maxStale);
      if (fault instanceof Unavailable && usable) return kept.entry;
      throw fault;
    }
  }

  #ask(hash: KeyHash, now: Moment): Promise<GateEntry | null> {
    const asked = this.#asked.get(hash);
    if (asked !== undefined) return asked;
    // The question is on the list before it is asked: else a hint could come in between.
    const asking = Promise.resolve()
      .then(() => this.#gate.find(hash))
      .then((entry) => {
        // A hint that came meanwhile has taken this question off the list: its answer may be old.
        if (this.#asked.get(hash) === asking) this.#keep(hash, entry, now);
        return entry;
      })
      .finally(() => {
        if (this.#asked.get(hash) === asking) this.#asked.delete(hash);
      });
    this.#asked.set(hash, asking);
    return asking;
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
    this.#asked.delete(hash);
  }
}
