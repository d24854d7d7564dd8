import type { Invalidations } from '../../application/ports/invalidations.js';
import { Unavailable } from '../../application/unavailable.js';
import type { FeedCopy } from './feed-copy.js';

/** How late the copy of the feed may be without a hint. */
const FOLLOW_EVERY_MS = 1_000;

/** Brings the copy up to the feed at every hint, and at least every second. */
export class FeedFollower {
  readonly #copy: Pick<FeedCopy, 'follow'>;
  readonly #report: (fault: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isFollowing = false;
  #isBehind = false;

  /** `report` gets every fault except `Unavailable`: the breaker logs an absence, and the next round tries again. */
  constructor(copy: Pick<FeedCopy, 'follow'>, report: (fault: unknown) => void) {
    this.#copy = copy;
    this.#report = report;
  }

  start(invalidations: Pick<Invalidations, 'listen'>): void {
    invalidations.listen((invalidation) => {
      if (invalidation.changed === 'feed') void this.#followOn();
    });
    this.#timer = setInterval(() => void this.#followOn(), FOLLOW_EVERY_MS);
    void this.#followOn();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Hints come in bursts during a publication: all hints that arrive during one round are answered by one more round. */
  async #followOn(): Promise<void> {
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
