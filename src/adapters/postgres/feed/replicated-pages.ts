import type { FeedPageSnapshot, FeedPages, FeedRange } from '../../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { SubscriptionId } from '../../../domain/billing/subscription.js';
import { samePosition } from '../../../domain/feed/position.js';
import type { FeedState, FeedStateAt } from './feed-queries.js';

/** Reads a page and the state of the feed from one database. Throws `Unavailable` if that database does not answer. */
export type ReadPage = (range: FeedRange, reader?: SubscriptionId) => Promise<FeedPageSnapshot & FeedState>;

/** Reads the state of the feed from the primary, with the change that the primary has under this number. */
export type ReadStateAt = (n: number) => Promise<FeedStateAt>;

/**
 * Pages below a cursor from the replicas, in turn, and all others from the primary (D111).
 *
 * A replica that lags must not make a page skip or repeat items, and a replica of another history must not answer: the
 * primary may have returned to an older state, or a former primary may be a replica now (D45). Therefore it first reads
 * the page of the replica, and then the state of the primary (one row) with the mark of the change that is the last one of
 * the replica. It returns the page only if the snapshot of the replica
 *
 * - ends with a change of the primary, so that all its changes are changes of the primary. A greater number than the primary
 *   has, or the same number with another mark, shows another history;
 * - has all changes that can affect the page: every change to the past of the feed (`lastPastChange`), and every item below
 *   the cursor. It has these items if its head is at or above the cursor, because live publications are above the head (D7).
 *
 * Otherwise the primary answers. The items of the page are then those of the primary at the state that was read, so the page has
 * the head and the position of that state: they do not fall behind those of pages of the primary (D44).
 */
export function replicatedPages(
  primary: FeedPages,
  readStateAt: ReadStateAt,
  replicas: readonly ReadPage[],
  report: (fault: unknown) => void,
): FeedPages {
  let nextReplica = 0;
  const next = () => {
    nextReplica = (nextReplica + 1) % replicas.length;
    return replicas[nextReplica];
  };
  const fromReplica = async (
    range: FeedRange,
    reader?: SubscriptionId,
  ): Promise<FeedPageSnapshot | undefined> => {
    const read = next();
    if (read === undefined || range.before === null) return undefined;
    try {
      const found = await read(range, reader);
      const state = await readStateAt(found.position.n);
      const isUsed = samePosition(found.position, state.at) && holdsAll(found, state, range.before);
      if (!isUsed) return undefined;
      return { items: found.items, head: state.head, position: state.position, version: null };
    } catch (fault) {
      // The primary answers instead, whatever the error is.
      if (!(fault instanceof Unavailable)) report(fault);
      return undefined;
    }
  };
  return { page: async (range, reader) => (await fromReplica(range, reader)) ?? primary.page(range, reader) };
}

/** Whether a snapshot of the same history has everything that a page below the cursor `before` had at the time of `state`. */
const holdsAll = (found: FeedState, state: FeedState, before: string): boolean =>
  found.lastPastChange >= state.lastPastChange &&
  (found.lastChange >= state.lastChange || (found.head !== null && found.head >= before));
