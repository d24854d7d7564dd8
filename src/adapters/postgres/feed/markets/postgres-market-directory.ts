import type { Knex } from 'knex';
import type {
  FoundMarkets,
  MarketDirectory,
  MarketReading,
} from '../../../../application/ports/feed/market-directory.js';
import { NotNow } from '../../../../application/unavailable.js';
import type { MarketFacts } from '../../../../domain/feed/markets/market-facts.js';
import { comparePlaces, type MarketSort, placeOf } from '../../../../domain/feed/markets/market-query.js';
import { referenceKeys } from '../../../../domain/feed/markets/market-references.js';
import type { MarketRow } from '../../../../domain/feed/markets/market-row.js';
import type { Moment } from '../../../../domain/moment.js';
import { withErrorMapping } from '../../unavailable-database.js';

/** A row without a market if there is none. */
type Row = {
  /** The numbers of the references that any market matches. */
  readonly known: readonly number[] | null;
  readonly facts: string | null;
  readonly first_news_at: Moment;
  readonly last_news_at: Moment;
  readonly news_count: number;
  /** The numbers of the references that this market matches. */
  readonly numbers: readonly number[] | null;
  /** Whether no market was left out. */
  readonly is_whole: boolean;
};

const SERVED = `
served as materialized (select id from market_generation where is_served and not is_ended limit 1)`;

/**
 * Of the lists of keys of a reference, the first one counts that any market has a key of. With `offset 0` each key is one look-up in the
 * index: for 80 keys, Postgres would read the keys of all markets.
 */
const MATCHED = `
hit as materialized (
  select sent.number, sent.list, found.market_id, found.kind
  from served cross join unnest(:numbers::integer[], :lists::integer[], :keys::text[]) as sent (number, list, key)
  cross join lateral (
    select market_id, kind from market_key where generation = served.id and key = sent.key offset 0
  ) as found
), first_hit as materialized (
  select number, min(list) as list from hit group by number
), matched as materialized (
  select market_id, kind, array_agg(distinct number) as numbers
  from hit join first_hit using (number, list) group by market_id, kind
)`;

/** One look-up by the market: the condition on the words is in the select list, so that Postgres does not search their index for it. */
const HAS_WORDS = `
(select words @> :queryWords::text[] from market_title
 where market_id = market.market_id and kind = market.kind and generation = served.id)`;

/** The markets that have all words. */
const WORDED = `
worded as materialized (
  select market_id, kind from market_title, served where generation = served.id and words @> :queryWords::text[]
)`;

/** What comes after a market in each order. Of two markets with the same time, the ids decide. */
const AFTER: Readonly<Record<MarketSort, string>> = {
  news: `last_news_at <= :at and (last_news_at < :at or (market.market_id, market.kind) > (:marketId, :marketKind))`,
  id: '(market.market_id, market.kind) > (:marketId, :marketKind)',
};
const ORDER: Readonly<Record<MarketSort, string>> = {
  news: 'last_news_at desc, market.market_id, market.kind',
  id: 'market.market_id, market.kind',
};

const IN_SERVED = 'market.generation = (select id from served)';

/** What limits the page beside the references and the words of the title. */
const conditionsOf = ({ venue, kind, mainMarketId, sort, after }: MarketReading): readonly string[] => [
  IN_SERVED,
  ...(venue === null ? [] : ['venue = :venue']),
  ...(kind === null ? [] : ['market.kind = :kind']),
  ...(mainMarketId === null ? [] : ['main_market_id = :mainMarketId']),
  ...(after === null ? [] : [AFTER[sort]]),
];

/**
 * How the markets of a page are found:
 * - `all`: the words of each market are tested that passes the filters and, if there are any, matches the references;
 * - `next`: the same for the markets that come next in the order only, `NEXT_FACTOR` times as many as the page has;
 * - `worded`: the markets that have all words are found first, and then those that pass the filters.
 *
 * A page with words is read by `next`, and by `worded` if that did not fill it and left markets out. In one statement, Postgres
 * would take the words for independent, and test each market of the directory for two words that are frequent and never in one
 * title.
 */
type Way = 'all' | 'next' | 'worded';
const NEXT_FACTOR = 4;

/** The keys of the references, with the number of each reference and of its list. */
const sentKeys = (references: readonly string[]) => {
  const sent = references.flatMap((text, number) =>
    referenceKeys(text).flatMap((keys, list) => keys.map((key) => ({ number, list, key }))),
  );
  return {
    numbers: sent.map(({ number }) => number),
    lists: sent.map(({ list }) => list),
    keys: sent.map(({ key }) => key),
  };
};

type Search = {
  readonly tables: readonly string[];
  readonly from: string;
  readonly where: readonly string[];
};

function searchOf(way: Way, reading: MarketReading): Search {
  const conditions = conditionsOf(reading);
  const haveWords = reading.queryWords.length === 0 ? [] : [HAS_WORDS];
  switch (way) {
    case 'all': {
      const isMatched = reading.references.length > 0;
      const from = isMatched ? 'market join matched using (market_id, kind)' : 'market';
      return { tables: isMatched ? [MATCHED] : [], from, where: [...conditions, ...haveWords] };
    }
    case 'next': {
      const rows = `select * from market where ${conditions.join(' and ')} order by ${ORDER[reading.sort]} limit :next`;
      return { tables: [`next as materialized (${rows})`], from: 'next as market', where: haveWords };
    }
    case 'worded': {
      // A frequent word finds many markets: only the rows of the page are read with their facts.
      const names = `select market.market_id, market.kind from market join worded using (market_id, kind)
        where ${conditions.join(' and ')} order by ${ORDER[reading.sort]} limit :count`;
      return {
        tables: [WORDED, `named as materialized (${names})`],
        from: 'market join named using (market_id, kind)',
        where: [IN_SERVED],
      };
    }
  }
}

function marketsQuery(
  db: Knex,
  way: Way,
  reading: MarketReading,
): Knex.Raw<{ readonly rows: readonly Row[] }> {
  const { references, queryWords, venue, kind, mainMarketId, sort, after, count } = reading;
  const { tables, from, where } = searchOf(way, reading);
  const isMatched = references.length > 0;
  return db.raw(
    `with ${[SERVED, ...tables].join(', ')}
     select page.*,
       ${isMatched ? '(select array_agg(distinct number) from hit)' : 'null::integer[]'} as known,
       ${way === 'next' ? '(select count(*) < :next from next)' : 'true'} as is_whole
     from served left join lateral (
       select facts, first_news_at, last_news_at, news_count, ${isMatched ? 'numbers' : 'null::integer[] as numbers'}
       from ${from} where ${where.join(' and ')} order by ${ORDER[sort]} limit :count
     ) as page on true`,
    {
      ...{ venue, kind, mainMarketId, count, next: NEXT_FACTOR * count, queryWords: [...queryWords] },
      ...{
        at: after?.lastNewsAt ?? null,
        marketId: after?.marketId ?? null,
        marketKind: after?.kind ?? null,
      },
      ...sentKeys(references),
    },
  );
}

async function readRows(db: Knex, reading: MarketReading): Promise<readonly Row[]> {
  const by = async (way: Way) => (await marketsQuery(db, way, reading)).rows;
  if (reading.queryWords.length === 0 || reading.references.length > 0) return by('all');
  const rows = await by('next');
  const isFull = rows.filter(({ facts }) => facts !== null).length === reading.count;
  return isFull || rows[0]?.is_whole === true ? rows : by('worded');
}

const rowOf = (row: Row & { readonly facts: string }): MarketRow => ({
  facts: JSON.parse(row.facts) as MarketFacts,
  firstNewsAt: row.first_news_at,
  lastNewsAt: row.last_news_at,
  newsCount: row.news_count,
});

/** The directory of markets in Postgres. */
export class PostgresMarketDirectory implements MarketDirectory {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(asked: MarketReading): Promise<FoundMarkets> {
    const reading = {
      ...asked,
      references: [...new Set(asked.references)],
    };
    const rows = await withErrorMapping(() => readRows(this.#db, reading));
    const [first] = rows;
    if (first === undefined) throw new NotNow('the directory of markets', undefined, 'is being built');
    const textOf = (numbers: readonly number[] | null) =>
      (numbers ?? []).toSorted((a, b) => a - b).flatMap((number) => reading.references[number] ?? []);
    const known = new Set(textOf(first.known));
    const markets = rows.flatMap(({ facts, ...row }) =>
      facts === null ? [] : [{ row: rowOf({ ...row, facts }), references: textOf(row.numbers) }],
    );
    // SQL does not guarantee the order after a join.
    markets.sort((a, b) => comparePlaces(reading.sort, placeOf(a.row), placeOf(b.row)));
    return { markets, unknown: reading.references.filter((text) => !known.has(text)) };
  }
}
