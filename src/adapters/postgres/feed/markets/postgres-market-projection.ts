import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type {
  Generation,
  MarketProjection,
  ProjectionStep,
} from '../../../../application/ports/feed/market-projection.js';
import type { MarketFacts } from '../../../../domain/feed/markets/market-facts.js';
import { keysOfMarket } from '../../../../domain/feed/markets/market-references.js';
import { titleWords } from '../../../../domain/feed/markets/market-row.js';
import type { Position } from '../../../../domain/feed/position.js';
import { FIRST_MOMENT, type Moment } from '../../../../domain/moment.js';
import { withErrorMapping } from '../../unavailable-database.js';

type GenerationRow = {
  readonly id: number;
  readonly n: number;
  readonly mark: string;
  readonly walked_to: Moment | null;
  readonly is_served: boolean;
};

type MarketName = { readonly market_id: string; readonly kind: string };

/** Only one writer changes a generation from a state. Another one finds no row. */
const MOVE = `
update market_generation set n = :n, mark = :mark, walked_to = :walkedTo, is_served = :isServed
where id = :id and n = :fromN and mark = :fromMark and walked_to is not distinct from :fromWalkedTo::timestamptz
  and is_served = :fromIsServed and not is_ended`;

/**
 * `generation + 0`, here and below: until the first `analyze`, Postgres estimates one row for a new generation, and would find it by
 * the primary key, which begins with the generation. It would then read all rows of the generation.
 */
const DELETE_ITEMS = `
delete from market_item where item_id = any(?::text[]) and generation + 0 = ? returning market_id, kind`;

const INSERT = `
insert into market_item (
  generation, market_id, kind, scored_at, item_id, main_market_id, venue, facts, keys_hash
)
select ?::bigint, market_id, kind, scored_at, item_id, nullif(main_market_id, ''), nullif(venue, ''), facts, keys_hash
from unnest(?::text[], ?::text[], ?::timestamptz[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
  as mention (market_id, kind, scored_at, item_id, main_market_id, venue, facts, keys_hash)`;

/**
 * Computes the rows of markets anew from what their items say, as `marketRowOf` does, after `delta` items more or fewer: counting
 * them again would read every item of a market for each item of it. Returns the markets whose keys change, with the new facts; null
 * for a market that is not listed any more. Each part of the statement sees the rows of before.
 */
const COMPUTE = `
with computed as materialized (
  select changed.market_id, changed.kind, coalesce(before.news_count, 0) + changed.delta as news_count,
    before.keys_hash as keys_hash_before, oldest.*, newest.*
  from unnest(:markets::text[], :kinds::text[], :deltas::integer[]) as changed (market_id, kind, delta)
  left join market as before
    on before.generation = :id and before.market_id = changed.market_id and before.kind = changed.kind
  left join lateral (
    select scored_at as first_news_at from market_item
    where generation = :id and market_id = changed.market_id and kind = changed.kind
    order by scored_at limit 1
  ) as oldest on true
  left join lateral (
    select scored_at as last_news_at, main_market_id, venue, facts, keys_hash from market_item
    where generation = :id and market_id = changed.market_id and kind = changed.kind
    order by scored_at desc limit 1
  ) as newest on true
), unlisted as (
  delete from market using computed
  where market.generation = :id and market.market_id = computed.market_id and market.kind = computed.kind
    and computed.news_count = 0
), listed as (
  insert into market (
    generation, market_id, kind, main_market_id, venue, facts, keys_hash, first_news_at, last_news_at, news_count
  )
  select :id, market_id, kind, main_market_id, venue, facts, keys_hash,
    first_news_at, last_news_at, news_count
  from computed where news_count > 0
  on conflict (generation, market_id, kind) do update
  set main_market_id = excluded.main_market_id, venue = excluded.venue, facts = excluded.facts,
    keys_hash = excluded.keys_hash, first_news_at = excluded.first_news_at, last_news_at = excluded.last_news_at,
    news_count = excluded.news_count
)
select market_id, kind, facts from computed where keys_hash_before is distinct from keys_hash`;

const DELETE_KEYS = `
delete from market_key using unnest(?::text[], ?::text[]) as changed (market_id, kind)
where generation + 0 = ? and market_key.market_id = changed.market_id and market_key.kind = changed.kind`;

const INSERT_KEYS = `
insert into market_key (generation, key, market_id, kind) select ?::bigint, * from unnest(?::text[], ?::text[], ?::text[])`;

const DELETE_TITLES = `
delete from market_title using unnest(?::text[], ?::text[]) as changed (market_id, kind)
where market_title.market_id = changed.market_id and market_title.kind = changed.kind and generation = ?`;

/** The words of a title are a text with spaces between them: an array of arrays would be one array for Postgres. */
const INSERT_TITLES = `
insert into market_title (generation, market_id, kind, words)
select ?::bigint, market_id, kind, string_to_array(words, ' ')
from unnest(?::text[], ?::text[], ?::text[]) as title (market_id, kind, words)`;

const OF_GENERATIONS = ['market_item', 'market_key', 'market_title', 'market'] as const;

/** Writes the directory of markets in Postgres. */
export class PostgresMarketProjection implements MarketProjection {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async generations(): Promise<readonly Generation[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly GenerationRow[] }>(
        'select id, n, mark, walked_to, is_served from market_generation where not is_ended order by id',
      ),
    );
    return rows.map(({ id, n, mark, walked_to: walkedTo, is_served: isServed }) => ({
      id,
      position: { n, mark },
      walkedTo,
      isServed,
    }));
  }

  async begin({ n, mark }: Position): Promise<void> {
    await this.#inTransaction(async (tx) => {
      await tx.raw('update market_generation set is_ended = true where not is_served and not is_ended');
      await tx.raw(
        'insert into market_generation (n, mark, walked_to) values (?, ?, ?) on conflict do nothing',
        [n, mark, FIRST_MOMENT],
      );
    });
  }

  apply(step: ProjectionStep): Promise<boolean> {
    return this.#inTransaction(async (tx) => {
      const { from, to } = step;
      if (to.isServed && !from.isServed)
        await tx.raw('update market_generation set is_ended = true where id <> ? and not is_ended', [
          from.id,
        ]);
      const { rowCount } = await tx.raw<{ rowCount: number }>(MOVE, moved(from, to));
      if (rowCount === 0) throw new Moved();
      await changeItems(tx, step);
      return true;
    }).catch((fault: unknown) => {
      if (fault instanceof Moved) return false;
      throw fault;
    });
  }

  async deleteEnded(count: number): Promise<boolean> {
    return this.#inTransaction(async (tx) => {
      const { rows } = await tx.raw<{ rows: readonly { readonly id: number }[] }>(
        'select id from market_generation where is_ended order by id limit 1',
      );
      const [ended] = rows;
      if (ended === undefined) return false;
      let deleted = 0;
      for (const table of OF_GENERATIONS) {
        const { rowCount } = await tx.raw<{ rowCount: number }>(
          `delete from ${table} where ctid = any(array(select ctid from ${table} where generation = ? limit ?))`,
          [ended.id, count - deleted],
        );
        deleted += rowCount;
        // The next table has no index by generation, so each look at it reads it.
        if (deleted === count) break;
      }
      if (deleted === 0) await tx.raw('delete from market_generation where id = ?', [ended.id]);
      return true;
    });
  }

  #inTransaction<T>(work: (tx: Knex.Transaction) => Promise<T>): Promise<T> {
    return withErrorMapping(() => this.#db.transaction(work));
  }
}

/** Another writer has changed the generation. Thrown to roll back. */
class Moved extends Error {}

const moved = (from: Generation, to: Generation) => ({
  id: from.id,
  n: to.position.n,
  mark: to.position.mark,
  walkedTo: to.walkedTo,
  isServed: to.isServed,
  fromN: from.position.n,
  fromMark: from.position.mark,
  fromWalkedTo: from.walkedTo,
  fromIsServed: from.isServed,
});

async function changeItems(
  tx: Knex.Transaction,
  { from: { id }, removed, items }: ProjectionStep,
): Promise<void> {
  const ids = [...new Set([...removed, ...items.map((item) => item.id)])];
  if (ids.length === 0) return;
  const { rows: before } = await tx.raw<{ rows: readonly MarketName[] }>(DELETE_ITEMS, [ids, id]);
  const mentions = items.flatMap(({ id: item, scoredAt, markets }) =>
    markets.map((facts) => ({ item, scoredAt, facts })),
  );
  if (mentions.length > 0)
    await tx.raw(INSERT, [
      id,
      mentions.map(({ facts }) => facts.marketId),
      mentions.map(({ facts }) => facts.kind),
      mentions.map(({ scoredAt }) => scoredAt),
      mentions.map(({ item }) => item),
      mentions.map(({ facts }) => facts.mainMarketId ?? ''),
      mentions.map(({ facts }) => facts.venue ?? ''),
      mentions.map(({ facts }) => JSON.stringify(facts)),
      mentions.map(({ facts }) => keysHash(facts)),
    ]);
  await compute(tx, id, [
    ...before.map((name) => ({ ...name, delta: -1 })),
    ...mentions.map(({ facts }) => ({ market_id: facts.marketId, kind: facts.kind, delta: 1 })),
  ]);
}

/** How many items more say something about a market; negative for fewer. */
type Difference = MarketName & { readonly delta: number };

async function compute(tx: Knex.Transaction, id: number, differences: readonly Difference[]): Promise<void> {
  const changed = new Map<string, Difference>();
  for (const { market_id, kind, delta } of differences) {
    const name = `${kind}:${market_id}`;
    changed.set(name, { market_id, kind, delta: (changed.get(name)?.delta ?? 0) + delta });
  }
  if (changed.size === 0) return;
  const names = [...changed.values()];
  const { rows } = await tx.raw<{ rows: readonly Rekeyed[] }>(COMPUTE, {
    id,
    markets: names.map(({ market_id: market }) => market),
    kinds: names.map(({ kind }) => kind),
    deltas: names.map(({ delta }) => delta),
  });
  if (rows.length > 0) await writeKeys(tx, id, rows);
}

type Rekeyed = MarketName & { readonly facts: string | null };

/** Writes the keys and the words of markets anew. A market without `facts` is not listed any more, and loses them. */
async function writeKeys(tx: Knex.Transaction, id: number, rekeyed: readonly Rekeyed[]): Promise<void> {
  const names = [rekeyed.map(({ market_id: market }) => market), rekeyed.map(({ kind }) => kind)];
  await tx.raw(DELETE_KEYS, [...names, id]);
  await tx.raw(DELETE_TITLES, [...names, id]);
  const listed = rekeyed.flatMap(({ market_id: market, kind, facts }) =>
    facts === null ? [] : [{ market, kind, facts: JSON.parse(facts) as MarketFacts }],
  );
  const keys = listed.flatMap(({ facts, ...name }) => keysOfMarket(facts).map((key) => ({ ...name, key })));
  await tx.raw(INSERT_KEYS, [
    id,
    keys.map(({ key }) => key),
    keys.map(({ market }) => market),
    keys.map(({ kind }) => kind),
  ]);
  await tx.raw(INSERT_TITLES, [
    id,
    listed.map(({ market }) => market),
    listed.map(({ kind }) => kind),
    listed.map(({ facts }) => [...titleWords(facts)].join(' ')),
  ]);
}

/** Keys and words are written only if they change, which is seldom. */
const keysHash = (facts: MarketFacts): string =>
  createHash('sha256')
    .update([...keysOfMarket(facts), ...titleWords(facts)].join('\n'))
    .digest('base64url');
