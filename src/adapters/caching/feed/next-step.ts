import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { FeedItems } from '../../../application/ports/feed/feed-store.js';
import { NotNow } from '../../../application/unavailable.js';
import { isAfter, type Position } from '../../../domain/feed/position.js';
import { ChangedItems, lastPublished } from './changed-items.js';
import { refuseOlder } from './older-snapshot.js';

/** Changes per read. Larger batches leave more garbage in the heap. */
const BATCH = 100;
/** More changes than this are not applied in one step. */
const STEP_CHANGES_MAX = 1_000;

type Parts = {
  readonly feed: FeedItems;
  /** The changes that are not applied yet, oldest first. The follower adds later ones. */
  readonly queue: readonly FeedChange[];
  /** Resolves when the queue has the changes of a read that began after the call. Throws `Unavailable`. */
  readonly readNow: () => Promise<void>;
  /** Whether the result is no longer needed. */
  readonly isOver: () => boolean;
};

/** Changes with their items. */
type Step = { readonly changes: readonly FeedChange[]; readonly items: ChangedItems };

/**
 * The next changes of a copy, with their items. Applied together, they lead to a state that the feed had (D45). The items are read
 * after the log, so an item may already be that of a later change: then all changes up to the state of that read are added to the
 * step. `rebuildAt`: the step has too many changes, so the copy must be read again. Null if the step is no longer needed.
 */
export async function nextStep(parts: Parts): Promise<Step | { readonly rebuildAt: Position } | null> {
  const { feed, queue, isOver } = parts;
  const items = new ChangedItems();
  let changes: readonly FeedChange[] = queue.slice(0, BATCH);
  while (!isOver()) {
    const snapshot = await readMissing(feed, changes, items);
    const next = snapshot === null ? [] : await changesUpTo(snapshot, parts);
    if (next.length <= changes.length) return { changes, items };
    const last = queue.at(-1);
    if (next.length > STEP_CHANGES_MAX && last !== undefined) return { rebuildAt: last.position };
    changes = next;
  }
  return null;
}

/** The first changes of the queue, up to a state that the store has had. */
async function changesUpTo(
  snapshot: Position,
  { queue, readNow, isOver }: Parts,
): Promise<readonly FeedChange[]> {
  const hasChange = () => !isAfter(snapshot, queue.at(-1)?.position ?? snapshot);
  if (!hasChange() && !isOver()) await readNow();
  if (!hasChange() && !isOver())
    throw new NotNow('the change logs', undefined, 'end before the state of the store');
  return queue.filter(({ position }) => !isAfter(position, snapshot));
}

/** Null if all items are read. Otherwise the position of the state in which some have changed again. */
async function readMissing(
  feed: Parts['feed'],
  changes: readonly FeedChange[],
  items: ChangedItems,
): Promise<Position | null> {
  const missing = lastPublished(changes).filter((change) => items.of(change) === null);
  if (missing.length === 0) return null;
  const found = await feed.find(missing.map(({ id }) => id));
  refuseOlder(found.position, changes.at(-1)?.position ?? null);
  items.add(found.items);
  return missing.every((change) => items.of(change) !== null) ? null : found.position;
}
