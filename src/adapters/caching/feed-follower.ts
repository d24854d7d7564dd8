import type { Invalidations } from '../../application/ports/invalidations.js';
import { Unavailable } from '../../application/unavailable.js';
import type { FeedCopy } from './feed-copy.js';

/** The interval of the updates. If an invalidation is lost, the copy is late by at most this time. */
const FOLLOW_EVERY_MS = 1_000;

/** Updates the copy of the feed at every invalidation, and at least every second. */
export class FeedFollower {
  readonly #copy: Pick<FeedCopy, 'follow'>;
  readonly #report: (fault: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isFollowing = false;
  #isBehind = false;

  /** `report` gets every error except `Unavailable`, which the breaker logs. The next update tries again. */
  constructor(copy: Pick<FeedCopy, 'follow'>, report: (fault: unknown) => void) {
    this.#copy = copy;
    this.#report = report;
  }

  start(invalidations: Pick<Invalidations, 'listen'>): void {
    invalidations.listen((invalidation) => {
      if (invalidation.changed === 'feed') void this.#update();
    });
    this.#timer = setInterval(() => void this.#update(), FOLLOW_EVERY_MS);
    void this.#update();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Invalidations come in bursts during a publication: all that arrive during one update lead to one more update. */
  async #update(): Promise<void> {
    this.#isBehind = true;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    while (this.#isBehind) {
      this.#isBehind = false;
      await this.#follow();
    }
    this.#isFollowing = false;
  }

  async #follow(): Promise<void> {
    try {
      await this.#copy.follow();
    } catch (fault) {
      if (!(fault instanceof Unavailable)) this.#report(fault);
    }
  }
}
