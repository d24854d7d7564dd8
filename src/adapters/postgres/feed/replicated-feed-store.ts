import type { FeedPageSnapshot, FeedRange, FeedStore } from '../../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { FeedState } from './feed-queries.js';

/** Reads a page and the state of the feed from one database. Throws `Unavailable` if that database does not answer. */
export type ReadPage = (range: FeedRange) => Promise<FeedPageSnapshot & FeedState>;

/**
 * A feed that reads pages below a cursor from the replicas, in turn.
 *
 * A replica that lags must not make a page skip or repeat items. Therefore the store first reads the state of the
 * primary (one row), and then the page of the replica. It returns this page only if the snapshot of the replica has all
 * changes that can affect the page: every change to the past of the feed (`lastPastChange`), and every item below the
 * cursor. It has these items if its head is at or above the cursor, because live publications are above the head (D7).
 * Otherwise the primary answers. The returned head is that of the same snapshot (D8).
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
      const { items, head, position } = found;
      return holdsAll(found, state, range.before) ? { items, head, position } : undefined;
    } catch (fault) {
      // The primary answers instead, whatever the error is.
      if (!(fault instanceof Unavailable)) report(fault);
      return undefined;
    }
  };
  return {
    publish: (items, mode) => store.publish(items, mode),
    retract: (id) => store.retract(id),
    find: (ids) => store.find(ids),
    raiseHead: (seen, now) => store.raiseHead(seen, now),
    page: async (range) => (await fromReplica(range)) ?? store.page(range),
  };
}

/** Whether a snapshot has everything that a page below the cursor `before` had at the time of `state`. */
const holdsAll = (found: FeedState, state: FeedState, before: string): boolean =>
  found.lastPastChange >= state.lastPastChange &&
  (found.lastChange >= state.lastChange || (found.head !== null && found.head >= before));
