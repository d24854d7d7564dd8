import type { Knex } from 'knex';
import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { ListedItem } from '../../../application/ports/feed/feed-store.js';
import type { Term } from '../../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../../domain/moment.js';
import { type FeedState, type FeedStateNow, readStateNow } from './feed-queries.js';
import { insertItemTerms } from './item-terms-writing.js';

/**
 * How long the transaction with the feed lock may be idle. The lock blocks the publishers of all instances, so a frozen
 * instance must lose this lock sooner than the locks of other transactions.
 */
const LOCK_IDLE_MS = 2_000;

/** Serialises the writers of the feed (T16): the transaction holds the lock until its end. */
export async function lockFeed(tx: Knex.Transaction): Promise<FeedStateNow> {
  // One statement, so that the timeout needs no second round trip.
  await tx.raw(
    `select set_config('idle_in_transaction_session_timeout', '${LOCK_IDLE_MS}', true),
       pg_advisory_xact_lock(hashtextextended('oddswire feed ' || current_schema(), 0))`,
  );
  // A separate statement, because its snapshot must be taken after the lock.
  return readStateNow(tx);
}

/** Deletes items with their market rows. Returns the ids of the deleted items. */
export async function removeItems(
  tx: Knex.Transaction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.raw<{ rows: readonly { id: string }[] }>(
    `with deleted as (
       delete from item where id = any(?::text[]) returning id, scored_at, sub_market_ids
     ), unlisted as (
       delete from item_sub_market as listed using deleted, unnest(deleted.sub_market_ids) as market (id)
       where listed.sub_market_id = market.id and listed.scored_at = deleted.scored_at
     )
     select id from deleted`,
    [[...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** An item with its terms, and the number of the change that published it. */
export type NumberedItem = ListedItem & { readonly n: number; readonly terms: ReadonlySet<Term> };

/** Inserts items with their market rows in one statement, then their terms. */
export async function insertItems(tx: Knex.Transaction, items: readonly NumberedItem[]): Promise<void> {
  await tx.raw(
    `with published as (
       insert into item (id, scored_at, json, n, sub_market_ids, has_terms)
       select id, scored_at, json, n, array(select json_array_elements_text(markets)), true
       from unnest(?::text[], ?::timestamptz[], ?::bytea[], ?::bigint[], ?::json[])
         as entry (id, scored_at, json, n, markets)
       returning id, scored_at, sub_market_ids
     )
     insert into item_sub_market (sub_market_id, scored_at, item_id)
     select market.id, published.scored_at, published.id
     from published, unnest(published.sub_market_ids) as market (id)`,
    [
      items.map(({ id }) => id),
      items.map(({ scoredAt }) => scoredAt),
      items.map(({ json }) => json),
      items.map(({ n }) => n),
      items.map(({ subMarketIds }) => JSON.stringify([...new Set(subMarketIds)])),
    ],
  );
  await insertItemTerms(tx, items);
}

/** A change to log. `scoredAt` is the time of the item, or the new head; null for a retraction. */
export type LoggedChange = {
  readonly kind: FeedChange['kind'];
  readonly id: string;
  readonly scoredAt: Moment | null;
};

/** Logs changes under the next numbers and stores the new state of the feed. */
export async function logChanges(
  tx: Knex.Transaction,
  before: FeedState,
  changes: readonly LoggedChange[],
  after: { readonly head: Moment | null; readonly touchesPast: boolean },
): Promise<void> {
  const lastChange = before.lastChange + changes.length;
  await tx.raw(
    `with logged as (
       insert into feed_change (n, kind, item_id, scored_at)
       select ?::bigint + entry.n, entry.kind, entry.id, nullif(entry.scored_at, '')::timestamptz
       from unnest(?::text[], ?::text[], ?::text[]) with ordinality as entry (kind, id, scored_at, n)
     )
     update feed_head set head = ?::timestamptz, last_n = ?::bigint, past_n = ?::bigint`,
    [
      before.lastChange,
      changes.map(({ kind }) => kind),
      changes.map(({ id }) => id),
      changes.map(({ scoredAt }) => scoredAt ?? ''),
      after.head,
      lastChange,
      after.touchesPast ? lastChange : before.lastPastChange,
    ],
  );
}
