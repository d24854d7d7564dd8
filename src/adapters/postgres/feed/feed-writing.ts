import type { Knex } from 'knex';
import type { FeedChange } from '../../../application/ports/change-logs.js';
import type { ListedItem, RenderedItem } from '../../../application/ports/feed/feed-store.js';
import type { Moment } from '../../../domain/moment.js';
import {
  type FeedState,
  type FeedStateNow,
  STATE_NOW,
  type StateNowRows,
  stateNowOf,
} from './feed-queries.js';
import {
  completed,
  type FoundTerms,
  ITEM_TERMS,
  itemTermsValues,
  namesOf,
  TERMS,
  type TermIds,
  termValues,
} from './item-terms-writing.js';
import type { StoredTerms } from './stored-terms.js';

/**
 * How long the transaction with the feed lock may be idle. The lock blocks the publishers of all instances, so a frozen
 * instance must lose this lock sooner than the locks of other transactions.
 */
const LOCK_IDLE_MS = 2_000;

/** Serialises the writers of the feed (T16): the transaction holds the lock until its end. */
export async function lockFeed(tx: Knex.Transaction): Promise<FeedStateNow> {
  // One round trip. Two statements, because the snapshot of the second one must be taken after the lock.
  const [, { rows }] = await tx.raw<[unknown, StateNowRows]>(
    `select set_config('idle_in_transaction_session_timeout', '${LOCK_IDLE_MS}', true),
       pg_advisory_xact_lock(hashtextextended('oddswire feed ' || current_schema(), 0));
     ${STATE_NOW}`,
  );
  return stateNowOf(rows[0]);
}

/**
 * Deletes items with their market rows. Returns the ids of the deleted items. It is not the statement that inserts: the trigger
 * that deletes their terms runs at the end of a statement, and an item can get the time of the item that it replaces.
 */
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
     ) select id from deleted`,
    [[...ids]],
  );
  return new Set(rows.map(({ id }) => id));
}

type RenderedItemRow = { readonly id: string; readonly scored_at: Moment; readonly json: Buffer };

/** The items that are in the feed under the ids of a publication, and the ids of its terms. */
export type Stored = {
  readonly items: ReadonlyMap<string, Pick<RenderedItem, 'scoredAt' | 'json'>>;
  readonly termIds: TermIds;
};

/** Reads what a publication needs of the feed, in one round trip. The caller holds the lock. */
export async function readStored(
  tx: Knex.Transaction,
  items: readonly Pick<NumberedItem, 'id' | 'terms'>[],
): Promise<Stored> {
  const names = namesOf(items);
  const { rows } = await tx.raw<{
    rows: readonly (
      | (RenderedItemRow & { readonly terms: null })
      | { readonly id: null; terms: FoundTerms }
    )[];
  }>(
    `with ${TERMS}
     select id, scored_at, json, null as terms from item where id = any(?::text[])
     union all select null, null, null, terms from found`,
    [...termValues(names), items.map(({ id }) => id)],
  );
  return {
    items: new Map(
      rows.flatMap((row) => (row.id === null ? [] : [[row.id, { scoredAt: row.scored_at, json: row.json }]])),
    ),
    termIds: await completed(tx, names, rows.find((row) => row.id === null)?.terms ?? null),
  };
}

/** An item with its terms, and the number of the change that published it. */
export type NumberedItem = ListedItem & { readonly n: number; readonly terms: StoredTerms };

/** A change to log. `scoredAt` is the time of the item, or the new head; null for a retraction or a purge. */
export type LoggedChange = {
  readonly kind: FeedChange['kind'] | 'purged';
  readonly id: string;
  readonly scoredAt: Moment | null;
};

/** The state of the feed before and after changes. */
export type Step = {
  readonly before: FeedState;
  readonly head: Moment | null;
  readonly touchesPast: boolean;
};

/** Logs the changes of four parameters under the next numbers, and stores the new state of the feed. */
const LOGGED = `
logged as (
  insert into feed_change (n, kind, item_id, scored_at)
  select ?::bigint + entry.n, entry.kind, entry.id, nullif(entry.scored_at, '')::timestamptz
  from unnest(?::text[], ?::text[], ?::text[]) with ordinality as entry (kind, id, scored_at, n)
)`;
const STEP = 'update feed_head set head = ?::timestamptz, last_n = ?::bigint, past_n = ?::bigint';

/** Logs changes under the next numbers and stores the new state of the feed. */
export async function logChanges(
  tx: Knex.Transaction,
  changes: readonly LoggedChange[],
  step: Step,
): Promise<void> {
  await tx.raw(`with ${LOGGED} ${STEP}`, loggedValues(changes, step));
}

/** The version of the terms that are stored, and the ids of their names. */
export type TermWriting = { readonly version: number; readonly idOf: TermIds };

/** Inserts items with their market rows and terms, and logs the changes, in one statement. */
export async function insertItems(
  tx: Knex.Transaction,
  items: readonly NumberedItem[],
  { version, idOf }: TermWriting,
  changes: readonly LoggedChange[],
  step: Step,
): Promise<void> {
  await tx.raw(
    `with published as (
       insert into item (id, scored_at, json, n, sub_market_ids, has_terms, terms_version)
       select id, scored_at, substring(?::bytea from json_start for json_length), n,
         array(select json_array_elements_text(markets)), true, ?
       from unnest(?::text[], ?::timestamptz[], ?::integer[], ?::integer[], ?::bigint[], ?::json[])
         as entry (id, scored_at, json_start, json_length, n, markets)
       returning id, scored_at, sub_market_ids
     ), listed as (
       insert into item_sub_market (sub_market_id, scored_at, item_id)
       select market.id, published.scored_at, published.id
       from published, unnest(published.sub_market_ids) as market (id)
     ), ${ITEM_TERMS}, ${LOGGED} ${STEP}`,
    [
      // One buffer is sent as it is. In an array, each would be written as hexadecimal digits.
      Buffer.concat(items.map(({ json }) => json)),
      version,
      items.map(({ id }) => id),
      items.map(({ scoredAt }) => scoredAt),
      startsOf(items),
      items.map(({ json }) => json.length),
      items.map(({ n }) => n),
      items.map(({ subMarketIds }) => JSON.stringify([...new Set(subMarketIds)])),
      ...itemTermsValues(items, idOf),
      ...loggedValues(changes, step),
    ],
  );
}

/** Where each item begins in a buffer of all of them, from 1. */
function startsOf(items: readonly Pick<ListedItem, 'json'>[]): number[] {
  let start = 1;
  return items.map(({ json }) => {
    const begins = start;
    start += json.length;
    return begins;
  });
}

function loggedValues(changes: readonly LoggedChange[], { before, head, touchesPast }: Step) {
  const lastChange = before.lastChange + changes.length;
  return [
    before.lastChange,
    changes.map(({ kind }) => kind),
    changes.map(({ id }) => id),
    changes.map(({ scoredAt }) => scoredAt ?? ''),
    head,
    lastChange,
    touchesPast ? lastChange : before.lastPastChange,
  ];
}
