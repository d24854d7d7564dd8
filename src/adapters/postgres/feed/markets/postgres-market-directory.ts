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
};

const SERVED = `
served as materialized (select id from market_generation where is_served and not is_ended limit 1)`;

/** Of the lists of keys of a reference, the first one counts that any market has a key of. */
const MATCHED = `
hit as materialized (
  select sent.number, sent.list, found.market_id, found.kind
  from served cross join unnest(:numbers::integer[], :lists::integer[], :keys::text[]) as sent (number, list, key)
  cross join lateral (
    select market_id, kind from market_key where generation = served.id and key = sent.key
  ) as found
), first_hit as materialized (
  select number, min(list) as list from hit group by number
), matched as materialized (
  select market_id, kind, array_agg(distinct number) as numbers
  from hit join first_hit using (number, list) group by market_id, kind
)`;

const hasWord = (number: number): string =>
  `exists (select from market_key where generation = served.id and key = :word${number}
     and market_id = market.market_id and kind = market.kind)`;

/** The markets that have all words. The rows of each word are in the order of the ids, so they are merged. */
const worded = (queryWords: readonly string[]): string => {
  const rows = queryWords.map(
    (_, number) =>
      `(select market_id, kind from market_key, served where generation = served.id and key = :word${number}) as word${number}`,
  );
  const joined = rows.reduce((before, next) => `${before} join ${next} using (market_id, kind)`);
  return `worded as materialized (select market_id, kind from ${joined})`;
};

/** What comes after a market in each order. Of two markets with the same time, the ids decide. */
const AFTER: Readonly<Record<MarketSort, string>> = {
  news: `last_news_at <= :at and (last_news_at < :at or (market.market_id, market.kind) > (:marketId, :marketKind))`,
  id: '(market.market_id, market.kind) > (:marketId, :marketKind)',
};
const ORDER: Readonly<Record<MarketSort, string>> = {
  news: 'last_news_at desc, market.market_id, market.kind',
  id: 'market.market_id, market.kind',
};

/** What limits the page beside the references and the words of the title. */
const conditionsOf = ({ venue, kind, mainMarketId, sort, after }: MarketReading): readonly string[] => [
  'market.generation = served.id',
  ...(venue === null ? [] : ['venue = :venue']),
  ...(kind === null ? [] : ['market.kind = :kind']),
  ...(mainMarketId === null ? [] : ['main_market_id = :mainMarketId']),
  ...(after === null ? [] : [AFTER[sort]]),
];

/**
 * Where the markets of a page are looked for:
 * - `all`: all markets, or those that match the references;
 * - `next`: those that come next in the order, `NEXT_FACTOR` times as many as the page has. They fill a page of frequent words;
 * - `worded`: those that have all words. There are few of them if `next` did not fill the page.
 *
 * One statement cannot do for both kinds of words: the planner takes the words for independent, and would test each market of
 * the directory for two words that are frequent but never in one title.
 */
type Source = 'all' | 'next' | 'worded';
const NEXT_FACTOR = 4;

const tableOf = (source: Source, { references, sort, after }: MarketReading): string => {
  const isAfter = after === null ? '' : `and ${AFTER[sort]}`;
  switch (source) {
    case 'all':
      return references.length > 0 ? 'market join matched using (market_id, kind)' : 'market';
    case 'next':
      return `(select * from market where generation = served.id ${isAfter} order by ${ORDER[sort]} limit :next) as market`;
    case 'worded':
      return 'market join worded using (market_id, kind)';
  }
};

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

export function marketsQuery(
  db: Knex,
  source: Source,
  reading: MarketReading,
): Knex.Raw<{ readonly rows: readonly Row[] }> {
  const { references, queryWords, venue, kind, mainMarketId, sort, after, count } = reading;
  const isMatched = references.length > 0;
  const conditions = [
    ...conditionsOf(reading),
    ...(source === 'worded' ? [] : queryWords.map((_, number) => hasWord(number))),
  ];
  const tables = [
    SERVED,
    ...(isMatched ? [MATCHED] : []),
    ...(source === 'worded' ? [worded(queryWords)] : []),
  ];
  const known = isMatched ? '(select array_agg(distinct number) from hit)' : 'null::integer[]';
  return db.raw(
    `with ${tables.join(', ')}
     select ${known} as known, page.*
     from served left join lateral (
       select facts, first_news_at, last_news_at, news_count, ${isMatched ? 'numbers' : 'null::integer[] as numbers'}
       from ${tableOf(source, reading)}
       where ${conditions.join(' and ')} order by ${ORDER[sort]} limit :count
     ) as page on true`,
    {
      ...{ venue, kind, mainMarketId, count, next: NEXT_FACTOR * count },
      ...Object.fromEntries(queryWords.map((word, number) => [`word${number}`, word])),
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
  const from = async (source: Source) => (await marketsQuery(db, source, reading)).rows;
  if (reading.queryWords.length === 0 || reading.references.length > 0) return from('all');
  const next = await from('next');
  const isFull = next.filter(({ facts }) => facts !== null).length === reading.count;
  return isFull ? next : from('worded');
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
      queryWords: [...new Set(asked.queryWords.map((word) => `word:${word}`))],
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
