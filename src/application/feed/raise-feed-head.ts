import { raisedHead } from '../../domain/feed/raised-head.js';
import { latest, type Moment } from '../../domain/moment.js';
import type { Clock } from '../ports/clock.js';
import type { FeedHead } from '../ports/feed/feed-store.js';
import { unlessUnavailable } from '../unavailable.js';

/**
 * Raises the stored head after the store has returned to an older state (D45). Without this, an item could be published
 * below a head that clients have read, and a client that polls with `since` would miss it.
 */
export class RaiseFeedHead {
  readonly #feed: FeedHead;
  readonly #clock: Clock;
  /** The least head that the store must have; null if it has it. */
  #missing: Moment | null = null;
  #attempt: Promise<void> | undefined;

  constructor({ feed, clock }: { readonly feed: FeedHead; readonly clock: Clock }) {
    this.#feed = feed;
    this.#clock = clock;
  }

  /**
   * Notes that the store lost the head `seen`, the greatest one that this process has seen. Returns the least head that the
   * store will have. The caller then calls `write` until it has it.
   */
  note(seen: Moment | null): Moment | null {
    const least = raisedHead(null, seen, this.#clock());
    if (least !== null) this.#missing = latest(least, this.#missing ?? least);
    return this.#missing;
  }

  /** Writes what was noted. If the store is unavailable or read-only, the next call tries again. */
  write(): Promise<void> {
    if (this.#missing === null) return Promise.resolve();
    this.#attempt ??= this.#write(this.#missing).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #write(missing: Moment): Promise<void> {
    try {
      await this.#feed.raiseHead(missing, this.#clock());
      if (this.#missing === missing) this.#missing = null;
    } catch (fault) {
      unlessUnavailable(fault);
    }
  }
}
