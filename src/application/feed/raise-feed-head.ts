import { latest, type Moment } from '../../domain/moment.js';
import type { Clock } from '../ports/clock.js';
import type { FeedStore } from '../ports/feed/feed-store.js';
import { Unavailable } from '../unavailable.js';

/**
 * Raises the stored head after the store has returned to an older state (D45). Without this, an item could be published
 * below a head that clients have read, and a client that polls with `since` would miss it.
 */
export class RaiseFeedHead {
  readonly #feed: Pick<FeedStore, 'raiseHead'>;
  readonly #clock: Clock;
  /** The greatest head that the store must have; null if it has it. */
  #missing: Moment | null = null;

  constructor({ feed, clock }: { readonly feed: Pick<FeedStore, 'raiseHead'>; readonly clock: Clock }) {
    this.#feed = feed;
    this.#clock = clock;
  }

  /** `seen` is the greatest head that this process has seen. */
  async raise(seen: Moment | null): Promise<void> {
    if (seen !== null) this.#missing = latest(seen, this.#missing ?? seen);
    await this.tryAgain();
  }

  /** Does nothing unless an earlier attempt failed, because the store was unavailable or read-only. */
  async tryAgain(): Promise<void> {
    const missing = this.#missing;
    if (missing === null) return;
    try {
      await this.#feed.raiseHead(missing, this.#clock());
      if (this.#missing === missing) this.#missing = null;
    } catch (fault) {
      if (!(fault instanceof Unavailable)) throw fault;
    }
  }
}
