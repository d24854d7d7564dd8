import type { Knex } from 'knex';
import type {
  FeedHistory,
  ItemsPart,
  LoggedPositions,
  LogPart,
  StoredChange,
} from '../../../application/ports/feed/feed-history.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { Moment } from '../../../domain/moment.js';
import { type FeedChangeRow, feedChangeOf } from '../postgres-change-logs.js';
import { withErrorMapping } from '../unavailable-database.js';
import { storedPosition } from './feed-queries.js';

type ItemColumns = { readonly json: Buffer | null; readonly sub_market_ids: readonly string[] | null };

type ChangeRow = {
  readonly oldest: number;
  readonly newest: number;
  readonly newest_mark: Buffer | null;
  readonly n: number | null;
} & Omit<FeedChangeRow, 'n'> &
  ItemColumns;

/**
 * The item of a change is the current item with its number. Items of 0.2.0 have no number; then the time must be that of
 * the change. Lateral and limited, so that each item is found by its id, whatever the planner assumes. The size of a JSON text
 * is known without reading it, so Postgres reads only the texts that it returns.
 */
const CHANGES = `
select oldest.n as oldest, newest.n as newest, newest.mark as newest_mark, found.*
from (select n from feed_change order by n limit 1) as oldest
cross join (select n, mark from feed_change order by n desc limit 1) as newest
left join lateral (
  select n, mark, kind, subject, scored_at, known_at, json, sub_market_ids
  from (
    select change.n, change.mark, change.kind, change.item_id as subject, change.scored_at,
      coalesce(change.known_at, change.at) as known_at, current.*,
      sum(octet_length(current.json)) over (
        order by change.n rows between unbounded preceding and 1 preceding
      ) as bytes_before
    from feed_change as change
    left join lateral (
      select item.json, item.sub_market_ids from item
      where item.id = change.item_id
        and (item.n = change.n or (item.n is null and item.scored_at = change.scored_at))
      limit 1
    ) as current on true
    where change.n >= ? and change.n < ?
    order by change.n
    limit ?
  ) as summed
  where coalesce(bytes_before, 0) < ?
) as found on true`;

/** If the log is empty, as during a restore in steps, there is no row. */
export const changesQuery = (
  db: Knex,
  first: number,
  count: number,
  bytesMax: number = Number.MAX_SAFE_INTEGER,
): Knex.Raw<{ readonly rows: readonly ChangeRow[] }> =>
  db.raw(CHANGES, [first, first + count, count, bytesMax]);

/** A row without an item if there is none. */
type ItemRow = {
  readonly newest: number;
  readonly newest_mark: Buffer | null;
  readonly id: string | null;
  readonly scored_at: Moment;
  readonly json: Buffer;
  readonly sub_market_ids: readonly string[];
  readonly n: number;
  readonly known_at: Moment | null;
};

/** The log is scanned only if the page has items of 0.2.0, which have no number. */
const ITEMS_AFTER = `
with page as materialized (
  select id, scored_at, json, sub_market_ids, n
  from (
    select item.id, item.scored_at, item.json, item.sub_market_ids, item.n,
      sum(octet_length(item.json)) over (
        order by item.scored_at rows between unbounded preceding and 1 preceding
      ) as bytes_before
    from item where item.scored_at > ? order by item.scored_at limit ?
  ) as summed
  where coalesce(bytes_before, 0) < ?
), logged as materialized (
  select change.item_id, max(change.n) as n
  from (select id from page where n is null) as unnumbered
  join feed_change as change on change.item_id = unnumbered.id
  where exists (select from page where n is null)
  group by change.item_id
)
select newest.n as newest, newest.mark as newest_mark,
  page.id, page.scored_at, page.json, page.sub_market_ids, coalesce(page.n, logged.n, 0) as n,
  (select coalesce(known_at, at) from feed_change where n = coalesce(page.n, logged.n)) as known_at
from (select n, mark from feed_change order by n desc limit 1) as newest
left join page on true
left join logged on logged.item_id = page.id`;

export const itemsAfterQuery = (
  db: Knex,
  after: Moment,
  count: number,
  bytesMax: number = Number.MAX_SAFE_INTEGER,
): Knex.Raw<{ readonly rows: readonly ItemRow[] }> => db.raw(ITEMS_AFTER, [after, count, bytesMax]);

type PositionRow = {
  readonly oldest: number;
  readonly newest: number;
  readonly newest_mark: Buffer | null;
  readonly n: number | null;
  readonly mark: Buffer | null;
};

const POSITIONS = `
select oldest.n as oldest, newest.n as newest, newest.mark as newest_mark, change.n, change.mark
from (select n from feed_change order by n limit 1) as oldest
cross join (select n, mark from feed_change order by n desc limit 1) as newest
left join feed_change as change on change.n = any(?::bigint[])`;

export const positionsQuery = (
  db: Knex,
  numbers: readonly number[],
): Knex.Raw<{ readonly rows: readonly PositionRow[] }> => db.raw(POSITIONS, [[...numbers]]);

/** The past of the feed in Postgres. */
export class PostgresFeedHistory implements FeedHistory {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async changes(first: number, count: number, bytesMax?: number): Promise<LogPart> {
    const { rows } = await withErrorMapping(() => changesQuery(this.#db, first, count, bytesMax));
    const [row] = rows;
    if (row === undefined) throw emptyLog();
    const { oldest, newest, newest_mark: mark } = row;
    // SQL does not guarantee the order after a join.
    const found = rows.flatMap((each) => (each.n === null ? [] : [{ ...each, n: each.n }]));
    found.sort((a, b) => a.n - b.n);
    return { oldest, newest: storedPosition(newest, mark), changes: found.map(storedChangeOf) };
  }

  async itemsAfter(after: Moment, count: number, bytesMax?: number): Promise<ItemsPart> {
    const { rows } = await withErrorMapping(() => itemsAfterQuery(this.#db, after, count, bytesMax));
    const [row] = rows;
    if (row === undefined) throw emptyLog();
    const items = rows.flatMap(
      ({ id, scored_at: scoredAt, json, sub_market_ids: subMarketIds, n, known_at: knownAt }) =>
        id === null ? [] : [{ id, scoredAt, json, subMarketIds, n, knownAt }],
    );
    items.sort((a, b) => (a.scoredAt < b.scoredAt ? -1 : 1));
    return { newest: storedPosition(row.newest, row.newest_mark), items };
  }

  async positionsOf(numbers: readonly number[]): Promise<LoggedPositions> {
    const { rows } = await withErrorMapping(() => positionsQuery(this.#db, numbers));
    const [row] = rows;
    if (row === undefined) throw emptyLog();
    const { oldest, newest, newest_mark: newestMark } = row;
    const positions = new Map(
      rows.flatMap(({ n, mark }) => (n === null ? [] : [[n, storedPosition(n, mark)] as const])),
    );
    return { oldest, newest: storedPosition(newest, newestMark), positions };
  }
}

const emptyLog = (): Unavailable =>
  new Unavailable('Postgres', new Error('the change log of the feed is empty'));

function storedChangeOf(row: FeedChangeRow & ItemColumns): StoredChange {
  const change = feedChangeOf(row);
  switch (change.kind) {
    case 'published':
    case 'replaced': {
      const { json, sub_market_ids: subMarketIds } = row;
      const { id, scoredAt } = change;
      const item = json === null ? null : { id, scoredAt, json, subMarketIds: subMarketIds ?? [] };
      return { ...change, item };
    }
    case 'retracted':
    case 'raised':
    case 'start':
      return change;
  }
}
