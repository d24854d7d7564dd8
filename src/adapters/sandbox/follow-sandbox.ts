import type { StoredChange } from '../../application/ports/feed/feed-history.js';
import type { Position } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';
import { CHANGES_KEPT } from '../../domain/sandbox/sandbox-time.js';
import type { SandboxFeed } from './sandbox-feed.js';

/** What follows the log of the sandbox. */
type Follower = {
  readonly position: Position | null;
  add(changes: readonly StoredChange[]): void;
  rebuild(position: Position, head: Moment | null): void;
};

/** Gives the changes of the sandbox to a follower, as they become due. */
export function followSandbox(feed: SandboxFeed, follower: Follower) {
  /** Gives all changes up to now. */
  const follow = (): void => {
    const { position, head } = feed.state;
    const last = follower.position;
    const missed = last === null ? Number.POSITIVE_INFINITY : position.n - last.n;
    if (last === null || missed >= CHANGES_KEPT) follower.rebuild(position, head);
    else if (missed > 0) follower.add(feed.logged(last.n + 1, missed));
  };
  let timer: NodeJS.Timeout | undefined;
  return {
    follow,
    /** Follows by itself from the first call of `follow` on. */
    start: (everyMs: number): void => {
      timer = setInterval(() => {
        if (follower.position !== null) follow();
      }, everyMs).unref();
    },
    stop: (): void => clearInterval(timer),
  };
}
