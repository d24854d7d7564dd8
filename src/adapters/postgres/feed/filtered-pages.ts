import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { FeedPageSnapshot, FeedRange, ListedItem } from '../../../application/ports/feed/feed-store.js';
import { NotNow } from '../../../application/unavailable.js';
import {
  passes,
  TERMS,
  type TermFilter,
  type TermTable,
  withMarket,
} from '../../../domain/feed/filters/item-terms.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import {
  COLUMNS,
  type FeedState,
  type ItemsQuery,
  itemsIn,
  type Row,
  readPageOf,
  stateOf,
  withState,
} from './feed-queries.js';
import { TERM_IDS, termIdsValues } from './stored-terms.js';
import { withoutTermsOf } from './terms-versions.js';

/** The newest items that are tested one by one before the index of terms is searched. */
const WALKED = 1_000;

/** Items without terms that are read at a time, and the most that are tested for one page. */
const UNTESTED = 100;
const UNTESTED_MAX = 1_000;
/** The items whose words are read at once. */
const TESTED_AT_ONCE = 20;

type Page = FeedPageSnapshot & FeedState;

/** Reads a page, with a filter by terms over connections of its own, so that other reads do not wait for it. */
export const readAnyPageOf = (db: Knex, filterDb: Knex, range: FeedRange): Promise<Page> =>
  range.terms.length > 0 ? readFilteredPageOf(filterDb, range) : readPageOf(db, range);

/**
 * Reads a page of a range with a filter by terms (D57). Items that have no terms yet are tested here. While there are many
 * of them, the page needs several statements, and so a transaction with one snapshot.
 */
export async function readFilteredPageOf(
  db: Knex,
  range: FeedRange,
  terms: TermTable = TERMS,
): Promise<Page> {
  if (range.newsId !== null) return readFilteredItemOf(db, range, terms);
  const page = await readIfComplete(db, range, terms, 0);
  if (page !== null) return page;
  const read = await withErrorMapping(() =>
    db.transaction((tx) => readIfComplete(tx, range, terms, UNTESTED_MAX), {
      isolationLevel: 'repeatable read',
      readOnly: true,
    }),
  );
  if (read === null)
    throw new NotNow('Postgres', undefined, 'has too many items that cannot be found by their terms yet');
  return read;
}

async function readFilteredItemOf(db: Knex, range: FeedRange, { termsOf }: TermTable): Promise<Page> {
  const page = await readPageOf(db, range);
  return { ...page, items: page.items.filter((item) => passes(range.terms, termsOf(item))) };
}

/** Null if more than `untestedMax` items without valid terms, beside the first ones, must be tested. */
async function readIfComplete(
  db: Knex,
  range: FeedRange,
  terms: TermTable,
  untestedMax: number,
): Promise<Page | null> {
  const { rows } = await withErrorMapping(() => filteredPageQuery(db, range, terms));
  const filter = withMarket(range.terms, range.marketId);
  const found = [...itemsIn(rows.filter((row) => row.is_found))];
  let untested = itemsIn(rows.filter((row) => !row.is_found));
  for (let left = untestedMax; ; left -= UNTESTED) {
    found.push(...(await passing(filter, untested, terms)));
    found.sort((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1));
    const items = found.slice(0, range.count);
    const before = oldestOf(untested);
    const isLast = before === null || untested.length < UNTESTED;
    if (isLast || isFullAbove(before, items, range)) return { items, ...stateOf(rows[0]), version: null };
    if (left <= 0) return null;
    const more = { ...range, before };
    untested = itemsIn((await withErrorMapping(() => untestedQuery(db, more, terms))).rows);
  }
}

/** Between slices, other work of the process runs. */
async function passing(
  filter: TermFilter,
  items: readonly ListedItem[],
  { termsOf }: TermTable,
): Promise<readonly ListedItem[]> {
  const found: ListedItem[] = [];
  for (let first = 0; first < items.length; first += TESTED_AT_ONCE) {
    if (first > 0) await setImmediate();
    const slice = items.slice(first, first + TESTED_AT_ONCE);
    found.push(...slice.filter((item) => passes(filter, termsOf(item))));
  }
  return found;
}

const oldestOf = (items: readonly ListedItem[]): Moment | null =>
  items.reduce<Moment | null>(
    (oldest, { scoredAt }) => (oldest === null || scoredAt < oldest ? scoredAt : oldest),
    null,
  );

/** Whether no item below a time can be on the page. */
const isFullAbove = (at: Moment, items: readonly ListedItem[], { count }: FeedRange): boolean => {
  const last = items[count - 1];
  return last !== undefined && last.scoredAt >= at;
};

/** `is_found`: by its terms. The others are tested here. */
type FilteredRow = Row & { readonly is_found: boolean };
type FilteredQuery = Knex.Raw<{ readonly rows: readonly FilteredRow[] }>;

/**
 * The items that pass by their terms, and the newest ones whose terms are not valid for the filter, with the state of the feed. One
 * with older terms can be found by them too: it passes, and is among the others.
 */
export function filteredPageQuery(db: Knex, range: FeedRange, terms: TermTable = TERMS): FilteredQuery {
  const filter = withMarket(range.terms, range.marketId);
  const [first, ...others] = filter;
  const isFacets = first?.every(terms.isFacet) === true && others.length === 0;
  const listed = isFacets ? listedByFacet(db, range, first) : listedByTerms(db, range, filter);
  const items = db.raw(
    `(select ${SELECTED}, true as is_found from ? as listed join item on item.scored_at = listed.scored_at
      where not ${withoutTermsOf(terms.versionFor(filter))}
      union all ?)`,
    [listed, untestedItems(db, range, terms)],
  );
  return withState(db, items) as FilteredQuery;
}

const SELECTED = COLUMNS.join(', ');

export const untestedQuery = (db: Knex, range: FeedRange, terms: TermTable = TERMS): ItemsQuery =>
  db.raw('?', [untestedItems(db, range, terms)]);

const untestedItems = (db: Knex, range: FeedRange, { versionFor }: TermTable) =>
  db.raw(
    `(select ${SELECTED}, false as is_found from item
      where ${withoutTermsOf(versionFor(range.terms))} and ${within('item')}
      order by item.scored_at desc limit ?)`,
    [...endsOf(range), UNTESTED],
  );

const within = (table: string): string =>
  `${table}.scored_at < ?::timestamptz and ${table}.scored_at >= ?::timestamptz`;

const endsOf = ({ before, since }: FeedRange): readonly [string, string] => [
  before ?? 'infinity',
  since ?? '-infinity',
];

/** Reads the items of each code in their order. */
const listedByFacet = (db: Knex, range: FeedRange, anyOf: TermFilter[number]) =>
  db.raw(
    `(select distinct of_code.scored_at
      from (${TERM_IDS}) as code cross join lateral (
        select item_facet.scored_at from item_facet where item_facet.term = code.id and ${within('item_facet')}
        order by item_facet.scored_at desc limit ?
      ) as of_code
      order by of_code.scored_at desc limit ?)`,
    [...termIdsValues(anyOf), ...endsOf(range), range.count, range.count],
  );

/**
 * The index finds the items with given terms, but not in their order: for terms that many items have it returns more than
 * the page needs. Such a page is most often found among the newest items, which are therefore read first, in their order.
 * The index is searched only if they are not enough. `offset 0` keeps the planner from reading all items in their order
 * instead.
 */
function listedByTerms(db: Knex, range: FeedRange, filter: TermFilter) {
  const passing = filter.map(() => `terms && array(${TERM_IDS})`).join(' and ');
  const names = filter.flatMap(termIdsValues);
  const [before, since] = endsOf(range);
  return db.raw(
    `(with walked as materialized (
        select scored_at, terms from item_terms where ${within('item_terms')} order by scored_at desc limit ?
      ), near as materialized (
        select scored_at from walked where ${passing}
      )
      select scored_at from (
        select scored_at from near
        union all
        select scored_at from (
          select scored_at from item_terms
          where ${passing} and (select count(*) from walked) = ? and (select count(*) from near) < ?
          offset 0
        ) as far
        where scored_at < (select min(scored_at) from walked) and scored_at >= ?::timestamptz
      ) as matched order by scored_at desc limit ?)`,
    [before, since, WALKED, ...names, ...names, WALKED, range.count, since, range.count],
  );
}
