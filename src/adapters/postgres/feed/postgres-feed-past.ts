import type { Knex } from 'knex';
import type {
  FeedPast,
  HistoryChange,
  HistoryPart,
  HistoryReading,
  NotedPurge,
  PastItem,
  PastRange,
  PublishedCount,
} from '../../../application/ports/feed/feed-past.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { AsOf, FoundPoint, PastPoint } from '../../../domain/feed/history/as-of.js';
import { earliest, MICROSECOND, type Moment, plus } from '../../../domain/moment.js';
import { BASE64_TEXTS } from '../connection.js';
import { withErrorMapping } from '../unavailable-database.js';
import { storedPosition } from './feed-queries.js';

type PointRow = {
  readonly start_n: number;
  readonly start_mark: Buffer | null;
  readonly start_known_at: Moment;
  readonly n: number | null;
  readonly mark: Buffer | null;
  readonly known_at: Moment | null;
  readonly head: Moment | null;
};

/** Of changes that became known at the same time, the first one is the start, and the last one is the point. */
const POINT = `
select start.n as start_n, start.mark as start_mark, start.known_at as start_known_at, point.*
from (select n, mark, known_at from feed_change where known_at is not null order by known_at, n limit 1) as start
left join lateral (select n, mark, known_at, head from feed_change where `;
const POINT_AT_NUMBER = `${POINT} n = ?::bigint) as point on true`;
const POINT_AT_TIME = `${POINT} known_at <= ?::timestamptz order by known_at desc, n desc limit 1) as point on true`;

const pointQuery = (db: Knex, asOf: AsOf): Knex.Raw<{ readonly rows: readonly PointRow[] }> =>
  asOf.by === 'position' ? db.raw(POINT_AT_NUMBER, [asOf.position.n]) : db.raw(POINT_AT_TIME, [asOf.time]);

/**
 * The items in a range: the times of those in `item`, the ids and numbers of those in `item_version`. What was not in the feed at the point is skipped in the
 * indexes. Versions below the last item of a full page are not on it, so they are not read.
 */
const NEWEST = {
  current: `
    select item.scored_at, coalesce(item.n, 0) as n, null::text as id from item
    where scored_at < :before and scored_at >= :since and coalesce(n, 0) <= :n
    order by scored_at desc limit :count`,
  ended: `
    select scored_at, n, id from item_version
    where scored_at < :before and scored_at >= (select lowest from bound) and n <= :n and until_n > :n
    order by scored_at desc limit :count`,
};

const NEWEST_IN_MARKET = {
  current: `
    select listed.scored_at, coalesce(item.n, 0) as n, null::text as id
    from item_sub_market as listed join item on item.scored_at = listed.scored_at
    where listed.sub_market_id = :market and listed.scored_at < :before and listed.scored_at >= :since
      and coalesce(item.n, 0) <= :n
    order by listed.scored_at desc limit :count`,
  ended: `
    select scored_at, n, id from item_version_sub_market
    where sub_market_id = :market and scored_at < :before and scored_at >= (select lowest from bound)
      and n <= :n and until_n > :n
    order by scored_at desc limit :count`,
};

/** Of an item, the newest version up to the point is the only one that can have been in the feed there. */
const ONE = {
  current: `
    select item.scored_at, coalesce(item.n, 0) as n, null::text as id from item
    where id = :id and scored_at < :before and scored_at >= :since and coalesce(n, 0) <= :n`,
  ended: `
    select scored_at, n, id from (
      select scored_at, n, id, until_n from item_version where id = :id and n <= :n order by n desc limit 1
    ) as newest
    where until_n > :n and scored_at < :before and scored_at >= :since`,
};

const isInMarket = '(:market::text is null or :market = any (found.sub_market_ids))';

/**
 * Two versions have the same time only within a publication that gives the time of one item to another. Then the later change
 * counts.
 */
const pageSql = ({ current, ended }: typeof NEWEST) => `
with current as materialized (${current}),
bound as (
  select case when count(*) >= :count then min(scored_at) else :since end as lowest from current
),
ended as materialized (${ended}),
listed as materialized (
  select distinct on (scored_at) * from (select * from current union all select * from ended) as both_kinds
  order by scored_at desc, n desc limit :count
)
select found.id, listed.scored_at, found.json, found.sub_market_ids
from listed cross join lateral (
  select id, json, sub_market_ids from item where listed.id is null and item.scored_at = listed.scored_at
  union all
  select id, json, sub_market_ids from item_version as version where version.id = listed.id and version.n = listed.n
) as found
where ${isInMarket}`;

const PAGES = { newest: pageSql(NEWEST), inMarket: pageSql(NEWEST_IN_MARKET), one: pageSql(ONE) };

type PageRow = {
  readonly id: string;
  readonly scored_at: Moment;
  readonly json: Buffer | null;
  readonly sub_market_ids: readonly string[];
};

function pastPageQuery(
  db: Knex,
  range: PastRange,
  { position, head }: PastPoint,
): Knex.Raw<{ readonly rows: readonly PageRow[] }> {
  const { newsId, marketId, since, count } = range;
  const sql = newsId !== null ? PAGES.one : marketId !== null ? PAGES.inMarket : PAGES.newest;
  return db.raw(sql, {
    n: position.n,
    id: newsId,
    market: marketId,
    // Live items of later changes are above the head, so they are not read.
    before: boundOf(range.before, head) ?? 'infinity',
    since: since ?? '-infinity',
    count,
  });
}

function boundOf(before: Moment | null, head: Moment | null): Moment | null {
  if (head === null) return before;
  const aboveHead = plus(head, MICROSECOND);
  return before === null ? aboveHead : earliest(before, aboveHead);
}

type ChangeRow = {
  readonly n: number;
  readonly mark: Buffer | null;
  readonly kind: string | null;
  readonly item_id: string;
  readonly known_at: Moment;
  readonly revision: number | null;
  readonly is_superseded: boolean | null;
  readonly scored_at: Moment | null;
  readonly json: Buffer | null;
  readonly sub_market_ids: readonly string[] | null;
  /** Whether there is a row for the version. Without a text, it was purged. */
  readonly is_stored: boolean | null;
};

const COLUMNS = `change.n, change.mark, change.kind, change.item_id, change.known_at, change.revision, change.is_superseded,
    coalesce(change.scored_at, ended.scored_at) as scored_at, version.*`;

/** A change with its version, or with the version that it ended. */
const WITH_VERSION = `
  left join lateral (
    select json, sub_market_ids, true as is_stored from item where id = change.item_id and item.n = change.n
    union all
    select json, sub_market_ids, true from item_version where id = change.item_id and item_version.n = change.n
    limit 1
  ) as version on change.scored_at is not null
  left join lateral (
    select scored_at from item_version
    where id = change.item_id and item_version.n < change.n order by item_version.n desc limit 1
  ) as ended on change.scored_at is null`;

/**
 * The size of a JSON text is known without reading it, so Postgres reads only the texts that it returns. Node reads an array of texts
 * faster as JSON.
 */
const CHANGES = `
select n, mark, kind, item_id, known_at, revision, is_superseded, scored_at, is_stored,
  encode(json, 'base64')::varchar as json, to_json(sub_market_ids) as sub_market_ids
from (
  select ${COLUMNS},
    sum(octet_length(version.json)) over (
      order by change.n rows between unbounded preceding and 1 preceding
    ) as bytes_before
  from feed_change as change ${WITH_VERSION}
  where change.n > :after and change.n <= :until and (:newsId::text is null or change.item_id = :newsId)
  order by change.n
  limit :count
) as summed
where coalesce(bytes_before, 0) < :bytesMax
order by n`;

/** A change from before the history has no time at which it became known. */
const LAST_CHANGE = `
select ${COLUMNS} from (
  select * from feed_change where item_id = ? and known_at is not null order by n desc limit 1
) as change ${WITH_VERSION}`;

const historyQuery = (db: Knex, reading: HistoryReading): Knex.Raw<{ readonly rows: readonly ChangeRow[] }> =>
  db.raw(CHANGES, { ...reading }).options(BASE64_TEXTS);

const PURGES = `
select change.item_id as id, change.known_at as "knownAt", purge.actor, purge.reason
from purge join feed_change as change using (n) order by n desc limit ?`;

const PUBLISHED_PER_MINUTE = `
select date_trunc('minute', known_at at time zone 'UTC') at time zone 'UTC' as start, count(*)::integer as published
from feed_change where known_at >= ?::timestamptz and kind in ('published', 'replaced') group by 1 order by 1`;

/** The history in Postgres: triggers write it (`migrations/2026-12-03-history.ts`). */
export class PostgresFeedPast implements FeedPast {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(asOf: AsOf): Promise<FoundPoint> {
    const { rows } = await withErrorMapping(() => pointQuery(this.#db, asOf));
    const [row] = rows;
    if (row === undefined) throw new Unavailable('Postgres', new Error('the history of the feed is missing'));
    const { start_n, start_mark, start_known_at: knownAt, n, mark, known_at, head } = row;
    const start = { position: storedPosition(start_n, start_mark), knownAt };
    const point =
      n === null ? null : { position: storedPosition(n, mark), knownAt: known_at ?? knownAt, head };
    return { start, point };
  }

  async page(range: PastRange, at: PastPoint): Promise<readonly PastItem[]> {
    const { rows } = await withErrorMapping(() => pastPageQuery(this.#db, range, at));
    return rows
      .map(({ scored_at: scoredAt, sub_market_ids: subMarketIds, id, json }) => ({
        scoredAt,
        item: json === null ? null : { id, scoredAt, json, subMarketIds },
      }))
      .toSorted((a, b) => (a.scoredAt < b.scoredAt ? 1 : -1));
  }

  async changes(reading: HistoryReading): Promise<HistoryPart> {
    const { rows } = await withErrorMapping(() => historyQuery(this.#db, reading));
    const last = rows.at(-1);
    return {
      changes: rows.flatMap((row) => historyChangeOf(row) ?? []),
      last: last === undefined ? null : storedPosition(last.n, last.mark),
      read: rows.length,
    };
  }

  async last(id: string): Promise<HistoryChange | null> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ readonly rows: readonly ChangeRow[] }>(LAST_CHANGE, [id]),
    );
    const [row] = rows;
    return (row === undefined ? undefined : historyChangeOf(row)) ?? null;
  }

  async publishedPerMinute(from: Moment): Promise<readonly PublishedCount[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly PublishedCount[] }>(PUBLISHED_PER_MINUTE, [from]),
    );
    return rows;
  }

  async purges(count: number): Promise<readonly NotedPurge[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly NotedPurge[] }>(PURGES, [count]),
    );
    return rows;
  }
}

/** Undefined for a change of no item, and for one that a later change of the same publication supersedes. */
function historyChangeOf(row: ChangeRow): HistoryChange | undefined {
  const { n, mark, kind, item_id: id, known_at: knownAt, revision, scored_at: scoredAt } = row;
  if (kind === 'start' || kind === 'raised' || row.is_superseded) return undefined;
  const change = { position: storedPosition(n, mark), knownAt, id, revision };
  if (kind === 'purged') return { ...change, kind, scoredAt };
  if (kind !== 'published' && kind !== 'replaced') return { ...change, kind: 'retracted', scoredAt };
  if (scoredAt === null) return undefined;
  const { json, sub_market_ids: subMarketIds, is_stored: isStored } = row;
  const version = json === null ? 'purged' : { id, scoredAt, json, subMarketIds: subMarketIds ?? [] };
  return { ...change, kind, scoredAt, item: isStored ? version : 'missing' };
}
