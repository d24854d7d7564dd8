import type { FeedPageSnapshot, FeedRange, FeedStore } from '../../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { FeedState } from './feed-queries.js';

/** A page from one database, with the state of the feed there; it throws when that database is away. */
export type ReadPage = (range: FeedRange) => Promise<FeedPageSnapshot & FeedState>;

/**
 * A feed whose pages below a cursor are read from replicas, in turn.
 *
 * A replica that is behind must not make a page skip or repeat. So the state of the primary is read
 * first, one row, and a replica's answer counts only if its own snapshot holds everything that can
 * be on the page: each change of the past that the primary had made (`pastVersion`), and everything
 * below the cursor, which live publications can no longer reach once the replica's head is at or
 * above it (D7). Else the primary answers. The head told is the replica's, of the same snapshot (D8).
 */
export function replicatedFeedStore(
  store: FeedStore,
  readState: () => Promise<FeedState>,
  replicas: readonly ReadPage[],
  report: (fault: unknown) => void,
): FeedStore {
  let nextReplica = 0;
  const next = () => {
    nextReplica = (nextReplica + 1) % replicas.length;
    return replicas[nextReplica];
  };
  const fromReplica = async (range: FeedRange): Promise<FeedPageSnapshot | undefined> => {
    const read = next();
    if (read === undefined || range.before === null) return undefined;
    try {
      const state = await readState();
      const found = await read(range);
      const { items, head, version } = found;
      return holdsAll(found, state, range.before) ? { items, head, version } : undefined;
    } catch (fault) {
      // Whatever is wrong there, the store itself knows as well or better.
      if (!(fault instanceof Unavailable)) report(fault);
      return undefined;
    }
  };
  return {
    publish: (items, mode) => store.publish(items, mode),
    retract: (id) => store.retract(id),
    find: (ids) => store.find(ids),
    changesSince: (n, count) => store.changesSince(n, count),
    page: async (range) => (await fromReplica(range)) ?? store.page(range),
  };
}

/** Whether a snapshot holds all that a page below its cursor had at the time of `state`. */
const holdsAll = (found: FeedState, state: FeedState, before: string): boolean =>
  found.pastVersion >= state.pastVersion &&
  (found.version >= state.version || (found.head !== null && found.head >= before));
