import type { Knex } from 'knex';
import type {
  FeedHead,
  FeedItems,
  FeedWriter,
  FoundItems,
  ItemToPublish,
  ListedItem,
  PublishedItem,
  Purge,
  PurgeOrder,
} from '../../../application/ports/feed/feed-store.js';
import { boundedByDatabase } from '../../../domain/clock-offset.js';
import { assignScoredAt, type PublishMode } from '../../../domain/feed/assign-scored-at.js';
import { TERMS, type TermTable } from '../../../domain/feed/filters/item-terms.js';
import { judgePublications, versionsAfter } from '../../../domain/feed/publication-outcome.js';
import { raisedHead } from '../../../domain/feed/raised-head.js';
import { earliest, type Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import { type FeedStateNow, readItemsOf } from './feed-queries.js';
import {
  insertItems,
  type LoggedChange,
  lockFeed,
  logChanges,
  readStored,
  removeItems,
  type Stored,
  type TermWriting,
} from './feed-writing.js';
import { erase, versionsOf } from './purging.js';
import { type StoredTerms, storedTermsOf } from './stored-terms.js';
import { TakenTimes } from './taken-times.js';
import { WriteQueue } from './write-queue.js';

type Searchable = ItemToPublish & { readonly terms: StoredTerms; readonly mode: PublishMode };
type Publication = {
  readonly items: readonly Searchable[];
  readonly ids: readonly string[];
  readonly bytes: number;
};

/**
 * The feed in Postgres. An advisory lock serialises the writers of all instances. Writers of the same instance queue here
 * first, for at most 1 s.
 */
export class PostgresFeedStore implements FeedItems, FeedWriter, FeedHead {
  readonly #db: Knex;
  readonly #terms: TermTable;
  readonly #queue: WriteQueue<Publication, readonly PublishedItem[]>;

  /** `queueMs`: how long a write may wait for earlier ones of this instance. `terms`: those that are stored with each item. */
  constructor(db: Knex, queueMs?: number, terms: TermTable = TERMS) {
    this.#db = db;
    this.#terms = terms;
    this.#queue = new WriteQueue((group) => this.#publishAll(group), queueMs);
  }

  async publish(items: readonly ItemToPublish[], mode: PublishMode): Promise<readonly PublishedItem[]> {
    if (items.length === 0) return [];
    const searchable = items.map((item) => ({
      ...item,
      mode,
      terms: storedTermsOf(this.#terms.listsOf(item), this.#terms),
    }));
    const bytes = items.reduce((sum, { json }) => sum + json.length, 0);
    return this.#queue.publish({ items: searchable, ids: items.map(({ id }) => id), bytes });
  }

  /** A group is published like one batch. */
  async #publishAll(group: readonly Publication[]): Promise<readonly (readonly PublishedItem[])[]> {
    const items = group.flatMap((publication) => publication.items);
    const published = await this.#inTransaction((tx) => publishIn(tx, items, this.#terms.version));
    let end = 0;
    return group.map((publication) => {
      end += publication.items.length;
      return published.slice(end - publication.items.length, end);
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

  async purge(id: string, { actor, reason }: PurgeOrder): Promise<Purge> {
    return this.#write(async (tx) => {
      const state = await lockFeed(tx);
      const isLive = (await removeItems(tx, [id])).size > 0;
      const versions = await versionsOf(tx, id);
      if (!isLive && versions.every(({ json }) => json === null))
        return versions.length > 0 ? 'purged before' : 'unknown';
      const change = { kind: 'purged', id, scoredAt: null } as const;
      await logChanges(tx, [change], { before: state, head: state.head, touchesPast: true });
      await erase(tx, id, versions);
      await tx('purge').insert({ n: state.lastChange + 1, actor, reason });
      return 'purged';
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

  #inTransaction<T>(work: (tx: Knex.Transaction) => Promise<T>): Promise<T> {
    return withErrorMapping(() => this.#db.transaction(work));
  }

  #write<T>(work: (tx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.#queue.write(() => this.#inTransaction(work));
  }
}

async function publishIn(
  tx: Knex.Transaction,
  items: readonly Searchable[],
  version: number,
): Promise<readonly PublishedItem[]> {
  const state = await lockFeed(tx);
  const { items: stored, termIds } = await readStored(tx, items);
  const bounded = items.map((item) => ({
    ...item,
    scoredAt: boundedByDatabase(item.scoredAt, state.now),
  }));
  const judged = judgePublications(bounded, stored);
  const accepted = judged.flatMap(({ outcome, item }) => (outcome === 'accepted' ? [item] : []));
  const assigned =
    accepted.length > 0 ? await publishAccepted(tx, state, accepted, stored, { version, idOf: termIds }) : [];
  return versionsAfter(judged, stored, assigned);
}

async function publishAccepted(
  tx: Knex.Transaction,
  state: FeedStateNow,
  items: readonly Searchable[],
  stored: Stored['items'],
  terms: TermWriting,
): Promise<readonly Searchable[]> {
  const replaced = [...new Set(items.map(({ id }) => id))].filter((id) => stored.has(id));
  if (replaced.length > 0) await removeItems(tx, replaced);
  const { assigned, head } = await assignAll(tx, state.head, items);
  const numbered = assigned.map((item, i) => ({ ...item, n: state.lastChange + i + 1 }));
  // If an id occurs twice, only the later item is inserted.
  const last = [...new Map(numbered.map((item) => [item.id, item])).values()];
  const touchesPast = replaced.length > 0 || items.some(({ mode }) => mode === 'backfill');
  const step = { before: state, head, touchesPast };
  await insertItems(tx, last, terms, publicationsOf(assigned, new Set(replaced)), step);
  return assigned;
}

/** The changes of a batch. An item replaces the one that was in the feed before the batch. */
const publicationsOf = (
  items: readonly ListedItem[],
  replaced: ReadonlySet<string>,
): readonly LoggedChange[] =>
  items.map(({ id, scoredAt }) => ({ kind: replaced.has(id) ? 'replaced' : 'published', id, scoredAt }));

/**
 * Applies `assignScoredAt` to each item. If the rule needed times that were not read yet, reads them and applies the
 * rule again.
 */
async function assignAll<Item extends Searchable>(
  tx: Knex.Transaction,
  headBefore: Moment | null,
  items: readonly Item[],
): Promise<{ readonly assigned: readonly Item[]; readonly head: Moment | null }> {
  const takenTimes = new TakenTimes(tx);
  for (;;) {
    const assignment = assignFrom(headBefore, items, takenTimes.isTaken);
    if (takenTimes.isComplete) return assignment;
    await takenTimes.read();
  }
}

/** Assigns the times of a batch in its order. The times of earlier items in the batch count as taken. */
function assignFrom<Item extends Searchable>(
  headBefore: Moment | null,
  items: readonly Item[],
  isTaken: (at: Moment) => boolean,
) {
  const timesById = new Map<string, Moment>();
  const timesInBatch = new Set<Moment>();
  let head = headBefore;
  const assigned = items.map((item) => {
    const replaced = timesById.get(item.id);
    if (replaced !== undefined) timesInBatch.delete(replaced);
    const isTakenHere = (at: Moment) => timesInBatch.has(at) || isTaken(at);
    const assignment = assignScoredAt(head, isTakenHere, item.scoredAt, item.mode);
    head = assignment.head;
    timesInBatch.add(assignment.at);
    timesById.set(item.id, assignment.at);
    return { ...item, scoredAt: assignment.at };
  });
  return { assigned, head };
}
