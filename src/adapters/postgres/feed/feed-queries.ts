import type { Knex } from 'knex';
import type { FeedPageSnapshot, FeedRange } from '../../../application/ports/feed/feed-store.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

export type FeedState = {
  readonly head: Moment | null;
  /** The number of the last change. */
  readonly version: number;
  /** The number of the last change that did more than add above the head: it touched pages already read. */
  readonly pastVersion: number;
};

type Row = {
  readonly head: Moment | null;
  readonly last_n: number;
  readonly past_n: number;
  readonly id: string | null;
  readonly scored_at: Moment;
  readonly json: Buffer;
  readonly sub_market_ids: readonly string[];
};

/** Head and items in one statement, so in one snapshot; a row without an item says the head of an empty page. */
export const pageQuery = (db: Knex, range: FeedRange): Knex.Raw<{ readonly rows: readonly Row[] }> =>
  db.raw(
    `select feed_head.head, feed_head.last_n, feed_head.past_n, found.*
     from feed_head left join lateral ? as found on true`,
    [itemsOf(db, range)],
  );

export async function readPageOf(db: Knex, range: FeedRange): Promise<FeedPageSnapshot & FeedState> {
  const { rows } = await withErrorMapping(() => pageQuery(db, range));
  const items = rows.flatMap(({ id, scored_at: scoredAt, json, sub_market_ids: subMarketIds }) =>
    id === null ? [] : [{ id, scoredAt, json, subMarketIds }],
  );
  // SQL promises no order across the join, though it is the one they come in.
  items.sort((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1));
  return { items, ...stateOf(rows[0]) };
}

export async function readStateOf(db: Knex): Promise<FeedState> {
  return stateOf(await withErrorMapping(() => db('feed_head').first('head', 'last_n', 'past_n')));
}

const stateOf = (row: Pick<Row, 'head' | 'last_n' | 'past_n'> | undefined): FeedState => ({
  head: row?.head ?? null,
  version: row?.last_n ?? 0,
  pastVersion: row?.past_n ?? 0,
});

/** Each form has an index that gives its order: keyset paging, nothing sorted, nothing skipped over. */
function itemsOf(db: Knex, range: FeedRange): Knex.QueryBuilder {
  if (range.newsId !== null) return itemOf(db, range, range.newsId);
  return range.marketId === null ? newestOf(db, range) : newestInMarket(db, range, range.marketId);
}

const COLUMNS = ['item.id', 'item.scored_at', 'item.json', 'item.sub_market_ids'] as const;

const within = (query: Knex.QueryBuilder, column: string, { before, since }: FeedRange) =>
  query
    .modify((asked) => before !== null && asked.where(column, '<', before))
    .modify((asked) => since !== null && asked.where(column, '>=', since));

const newestOf = (db: Knex, range: FeedRange) =>
  within(db('item'), 'item.scored_at', range)
    .orderBy('item.scored_at', 'desc')
    .limit(range.count)
    .select(COLUMNS);

/** The listing is cut to its size first: then at most that many items are looked up. */
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
      (asked) => range.marketId !== null && asked.whereRaw('? = any(item.sub_market_ids)', [range.marketId]),
    )
    .limit(range.count)
    .select(COLUMNS);
}
