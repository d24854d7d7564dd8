import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import type {
  FeedHead,
  FeedItems,
  FeedWriter,
  FoundItems,
  ListedItem,
  RenderedItem,
} from '../../../application/ports/feed/feed-store.js';
import { PublicationRefused } from '../../../application/unavailable.js';
import { boundedByDatabase } from '../../../domain/clock-offset.js';
import { assignScoredAt, type PublishMode } from '../../../domain/feed/assign-scored-at.js';
import { termsOf } from '../../../domain/feed/filters/item-terms.js';
import { raisedHead } from '../../../domain/feed/raised-head.js';
import { earliest, type Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import { readItemsOf } from './feed-queries.js';
import {
  insertItems,
  type LoggedChange,
  lockFeed,
  logChanges,
  makeRoom,
  removeItems,
} from './feed-writing.js';
import { TakenTimes } from './taken-times.js';

/** A publisher waits for the answer: after so long it is better served by 503 and a repeat. */
const QUEUE_MS = 1_000;

/**
 * The feed in Postgres. An advisory lock serialises the writers of all instances. Writers of the same instance queue here
 * first, for at most 1 s, so that they hold no connection while they wait.
 */
export class PostgresFeedStore implements FeedItems, FeedWriter, FeedHead {
  readonly #db: Knex;
  readonly #queueMs: number;
  /** Resolves when no write before the next one runs or waits. */
  #lastWrite: Promise<void> = Promise.resolve();

  /** `queueMs`: how long a write may wait for earlier ones of this instance. */
  constructor(db: Knex, queueMs: number = QUEUE_MS) {
    this.#db = db;
    this.#queueMs = queueMs;
  }

  async publish(items: readonly ListedItem[], mode: PublishMode): Promise<readonly RenderedItem[]> {
    if (items.length === 0) return [];
    const searchable = items.map((item) => ({ ...item, terms: termsOf(item) }));
    return this.#write(async (tx) => {
      const state = await lockFeed(tx);
      const { removed, termIds } = await makeRoom(tx, searchable);
      const bounded = searchable.map((item) => ({
        ...item,
        scoredAt: boundedByDatabase(item.scoredAt, state.now),
      }));
      const { assigned, head } = await assignAll(tx, state.head, bounded, mode);
      const numbered = assigned.map((item, i) => ({ ...item, n: state.lastChange + i + 1 }));
      // If an id occurs twice, only the later item is inserted.
      const last = [...new Map(numbered.map((item) => [item.id, item])).values()];
      const touchesPast = removed.size > 0 || mode === 'backfill';
      const step = { before: state, head, touchesPast };
      await insertItems(tx, last, termIds, publicationsOf(assigned, removed), step);
      return assigned.map(({ terms: _, ...item }) => item);
    });
  }

  async retract(id: string): Promise<boolean> {
    return this.#write(async (tx) => {
      const state = await lockFeed(tx);
      const removed = await removeItems(tx, [id]);
      if (removed.size === 0) return false;
      const retraction = { kind: 'retracted', id, scoredAt: null } as const;
      await logChanges(tx, [retraction], { before: state, head: state.head, touchesPast: true });
      return true;
    });
  }

  async raiseHead(seen: Moment | null, now: Moment): Promise<Moment | null> {
    return this.#write(async (tx) => {
      const state = await lockFeed(tx);
      const head = raisedHead(state.head, seen, earliest(now, state.now));
      if (head === null) return null;
      // An earlier version reads this change as the publication of an item that does not exist, and raises its head.
      const change = { kind: 'raised', id: '', scoredAt: head } as const;
      await logChanges(tx, [change], { before: state, head, touchesPast: false });
      return head;
    });
  }

  find(ids: readonly string[]): Promise<FoundItems> {
    return readItemsOf(this.#db, ids);
  }

  /** Throws `PublicationRefused` if the writes before this one take too long. Nothing of this write is stored then. */
  async #write<T>(work: (tx: Knex.Transaction) => Promise<T>): Promise<T> {
    const earlier = this.#lastWrite;
    let end = () => {};
    this.#lastWrite = new Promise<void>((done) => {
      end = done;
    });
    if (!(await endsWithin(earlier, this.#queueMs))) {
      // Later writes wait for the earlier ones all the same.
      void earlier.then(end);
      throw new PublicationRefused(QUEUE_FULL);
    }
    return withErrorMapping(() => this.#db.transaction(work)).finally(end);
  }
}

const QUEUE_FULL = 'Earlier publications of this instance take too long. Send the request again.';

/** After a pause of this process, the event loop reads first what arrived meanwhile (T17). */
async function endsWithin(earlier: Promise<void>, ms: number): Promise<boolean> {
  const stopped = new AbortController();
  let isEnded = false;
  const ended = earlier.then(() => {
    isEnded = true;
    stopped.abort();
  });
  const timeLimit = setTimeout(ms, undefined, { signal: stopped.signal }).catch(() => {});
  await Promise.race([ended, timeLimit]);
  if (!isEnded) {
    await setImmediate();
    await setImmediate();
  }
  return isEnded;
}

/** The changes of a batch. An item replaces the stored item with its id, or an earlier one of the batch. */
function publicationsOf(items: readonly ListedItem[], removed: ReadonlySet<string>): readonly LoggedChange[] {
  const known = new Set(removed);
  return items.map(({ id, scoredAt }) => {
    const kind = known.has(id) ? 'replaced' : 'published';
    known.add(id);
    return { kind, id, scoredAt };
  });
}

/**
 * Applies `assignScoredAt` to each item. If the rule needed times that were not read yet, reads them and applies the
 * rule again.
 */
async function assignAll<Item extends ListedItem>(
  tx: Knex.Transaction,
  headBefore: Moment | null,
  items: readonly Item[],
  mode: PublishMode,
): Promise<{ readonly assigned: readonly Item[]; readonly head: Moment | null }> {
  const takenTimes = new TakenTimes(tx);
  for (;;) {
    const assignment = assignFrom(headBefore, items, mode, takenTimes.isTaken);
    if (takenTimes.isComplete) return assignment;
    await takenTimes.read();
  }
}

/** Assigns the times of a batch in its order. The times of earlier items in the batch count as taken. */
function assignFrom<Item extends ListedItem>(
  headBefore: Moment | null,
  items: readonly Item[],
  mode: PublishMode,
  isTaken: (at: Moment) => boolean,
) {
  const timesById = new Map<string, Moment>();
  const timesInBatch = new Set<Moment>();
  let head = headBefore;
  const assigned = items.map((item) => {
    const replaced = timesById.get(item.id);
    if (replaced !== undefined) timesInBatch.delete(replaced);
    const isTakenHere = (at: Moment) => timesInBatch.has(at) || isTaken(at);
    const assignment = assignScoredAt(head, isTakenHere, item.scoredAt, mode);
    head = assignment.head;
    timesInBatch.add(assignment.at);
    timesById.set(item.id, assignment.at);
    return { ...item, scoredAt: assignment.at };
  });
  return { assigned, head };
}
