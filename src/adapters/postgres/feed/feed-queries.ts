import type { Knex } from 'knex';
import type {
  FeedPageSnapshot,
  FeedRange,
  FoundItems,
  ListedItem,
} from '../../../application/ports/feed/feed-store.js';
import { Unavailable } from '../../../application/unavailable.js';
import { NO_MARK, type Position } from '../../../domain/feed/position.js';
import { FIRST_MOMENT, type Moment } from '../../../domain/moment.js';
import { DATABASE_NOW } from '../database-now.js';
import { withErrorMapping } from '../unavailable-database.js';

export type FeedState = {
  readonly head: Moment | null;
  /** The number of the last change. */
  readonly lastChange: number;
  readonly position: Position;
  /**
   * The number of the last change to the past of the feed: a backfill, a replacement or a retraction. It changes pages
   * that clients may have read. A new live item is above the head, so it does not.
   */
  readonly lastPastChange: number;
};

type StateRow = {
  readonly head: Moment | null;
  readonly last_n: number;
  readonly past_n: number;
  readonly mark: Buffer | null;
};

export type Row = StateRow & {
  readonly id: string | null;
  readonly scored_at: Moment;
  readonly json: Buffer;
  readonly sub_market_ids: readonly string[];
};

type NumberedRow = Row & { readonly n: number | null };

/**
 * The limit tells the planner that there is one row. Without statistics it assumes many: it would then compile the query,
 * which takes longer than to run it.
 */
const STATE = `
select head, last_n, past_n, (select mark from feed_change where n = last_n) as mark from feed_head limit 1`;

/**
 * Reads head and items in one statement, and therefore in one snapshot. If the page is empty, the result is one row
 * with the head and without an item.
 */
export const pageQuery = (db: Knex, range: FeedRange): ItemsQuery => withState(db, itemsOf(db, range));

/** The same for the items with these ids, with their numbers. */
export const itemsQuery = (db: Knex, ids: readonly string[]): ItemsQuery<NumberedRow> =>
  withState(
    db,
    db('item')
      .whereRaw('item.id = any(?::text[])', [[...ids]])
      .select(...COLUMNS, 'item.n'),
  );

export type ItemsQuery<Found = Row> = Knex.Raw<{ readonly rows: readonly Found[] }>;

export const withState = <Found>(db: Knex, items: Knex.QueryBuilder | Knex.Raw): ItemsQuery<Found> =>
  db.raw(`select state.*, found.* from (${STATE}) as state left join lateral ? as found on true`, [items]);

export async function readPageOf(db: Knex, range: FeedRange): Promise<FeedPageSnapshot & FeedState> {
  const { rows } = await withErrorMapping(() => pageQuery(db, range));
  // SQL does not guarantee the order after a join.
  const items = itemsIn(rows).toSorted((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1));
  return { items, ...stateOf(rows[0]), version: null };
}

export async function readItemsOf(db: Knex, ids: readonly string[]): Promise<FoundItems> {
  const { rows } = await withErrorMapping(() => itemsQuery(db, ids));
  const numbers = new Map(rows.map(({ id, n }) => [id, n ?? 0]));
  const items = itemsIn(rows).map((item) => ({ ...item, n: numbers.get(item.id) ?? 0 }));
  return { items, position: stateOf(rows[0]).position };
}

export const itemsIn = (rows: readonly Row[]): readonly ListedItem[] =>
  rows.flatMap(({ id, scored_at: scoredAt, json, sub_market_ids: subMarketIds }) =>
    id === null ? [] : [{ id, scoredAt, json, subMarketIds }],
  );

/** The state, and the time by the clock of the database. */
export type FeedStateNow = FeedState & { readonly now: Moment };

export const STATE_NOW = `select state.*, ${DATABASE_NOW} as now from (${STATE}) as state`;

export type StateNowRows = { readonly rows: readonly (StateRow & Pick<FeedStateNow, 'now'>)[] };

export const stateNowOf = (row: StateNowRows['rows'][number] | undefined): FeedStateNow => ({
  ...stateOf(row),
  now: row?.now ?? FIRST_MOMENT,
});

/** The state of a feed, with the change that it has under a number; null if it has none, or one without a mark. */
export type FeedStateAt = FeedState & { readonly at: Position | null };

/** Reads the state and the change with the number `n` in one statement. */
export async function readStateAt(db: Knex, n: number): Promise<FeedStateAt> {
  const { rows } = await withErrorMapping(() => stateAtQuery(db, n));
  const mark = rows[0]?.mark_at ?? null;
  return { ...stateOf(rows[0]), at: mark === null ? null : storedPosition(n, mark) };
}

type StateAtRow = StateRow & { readonly mark_at: Buffer | null };

export const stateAtQuery = (db: Knex, n: number): Knex.Raw<{ readonly rows: readonly StateAtRow[] }> =>
  db.raw(
    `select state.*, (select mark from feed_change where n = ?::bigint) as mark_at from (${STATE}) as state`,
    [n],
  );

/** The state always has exactly one row. During a restore in several transactions it can be missing. */
export function stateOf(row: StateRow | undefined): FeedState {
  if (row === undefined) throw new Unavailable('Postgres', new Error('the state of the feed is missing'));
  const { head, last_n: lastChange, past_n: lastPastChange, mark } = row;
  return { head, lastChange, lastPastChange, position: storedPosition(lastChange, mark) };
}

export const storedPosition = (n: number, mark: Buffer | null): Position => ({
  n,
  mark: mark?.toString('hex') ?? NO_MARK,
});

/** Each query reads an index in its order (keyset paging). Postgres sorts no rows and skips none. */
function itemsOf(db: Knex, range: FeedRange): Knex.QueryBuilder {
  if (range.newsId !== null) return itemOf(db, range, range.newsId);
  return range.marketId === null ? newestOf(db, range) : newestInMarket(db, range, range.marketId);
}

export const COLUMNS = ['item.id', 'item.scored_at', 'item.json', 'item.sub_market_ids'] as const;

const within = (query: Knex.QueryBuilder, column: string, { before, since }: FeedRange) =>
  query
    .modify((builder) => before !== null && builder.where(column, '<', before))
    .modify((builder) => since !== null && builder.where(column, '>=', since));

const newestOf = (db: Knex, range: FeedRange) =>
  within(db('item'), 'item.scored_at', range)
    .orderBy('item.scored_at', 'desc')
    .limit(range.count)
    .select(COLUMNS);

/** Limits the rows of the market first, so that it joins at most `range.count` items. */
function newestInMarket(db: Knex, range: FeedRange, marketId: string) {
  const listed = within(db('item_sub_market').where('sub_market_id', marketId), 'scored_at', range)
    .orderBy('scored_at', 'desc')
    .limit(range.count)
    .select('item_id');
  return db(listed.as('listed')).join('item', 'item.id', 'listed.item_id').select(COLUMNS);
}

function itemOf(db: Knex, range: FeedRange, id: string) {
  const one = within(db('item').where('item.id', id), 'item.scored_at', range);
  return one
    .modify(
      (builder) =>
        range.marketId !== null && builder.whereRaw('? = any(item.sub_market_ids)', [range.marketId]),
    )
    .limit(range.count)
    .select(COLUMNS);
}
