import { readPublication } from '../dist/src/domain/feed/feed-item.js';
import { TERMS } from '../dist/src/domain/feed/filters/item-terms.js';
import { fromEpochMillis, plus, SECOND } from '../dist/src/domain/moment.js';
import { sampleFeed } from '../dist/test/support/sample/sample-feed.js';

const SAMPLES = 1_000;
/** How often one item is replaced for each item that is replaced once. */
const REPLACED_OFTEN_SHARE = 0.1;
/** The market of this many items. */
export const RARE = { market: 'rare', items: 60 };

/**
 * Fills an empty feed with a history, as the triggers would write it. With `count` = C, the changes of the log are:
 *
 * | changes | what they do |
 * |---|---|
 * | 1 to C | publish an item each, one a second |
 * | C + 1 to 2 C | replace each of them, one a second |
 * | 2 C + 1 to 3 C | backfill items: one between two items of the first C seconds |
 * | the next 0.1 C | replace one more item again and again, ten a second |
 *
 * So half of the versions that were published are superseded, and a page of an early change is among items of later changes. The items
 * have no terms, but count as indexed: otherwise the service would index them during the measurement. Returns the number of changes.
 */
export async function fillHistory(db, count) {
  const often = Math.round(count * REPLACED_OFTEN_SHARE);
  const last = 3 * count + often;
  const newest = fromEpochMillis(Date.now() - 60_000);
  const values = {
    ...{ count, last, samples: SAMPLES, version: TERMS.version },
    ...{
      first: plus(newest, -(2 * count + often) * SECOND),
      market: RARE.market,
      apart: Math.ceil(count / RARE.items),
    },
  };
  await db.raw('set session_replication_role = replica'); // Without the triggers.
  await db.raw('set synchronous_commit = off');
  await addSamples(db, newest);
  for (const statement of STATEMENTS) await db.raw(statement, values);
  await db.raw('set session_replication_role = default');
  await db.raw('set synchronous_commit = on');
  await db.raw('vacuum analyze');
  await db.raw('checkpoint');
  return last;
}

async function addSamples(db, newest) {
  await db.raw('create table sample (k int primary key, json bytea, sub_market_ids text[])');
  const samples = sampleFeed(SAMPLES, newest).map((input) => readPublication(input, newest));
  for (const [k, { item, subMarketIds }] of samples.entries())
    await db('sample').insert({ k, json: Buffer.from(JSON.stringify(item)), sub_market_ids: subMarketIds });
}

/** The changes with their items: each has a version until the next change of its id, or is in the feed. */
const CHANGES = `
create table filled as
select n, 'ne_' || i as id, :first::timestamptz + n * interval '1 second' as scored_at, 1 as revision, n + :count as until_n, i
from (select n, n as i from generate_series(1, :count) as n) as published
union all
select n, 'ne_' || n - :count, :first::timestamptz + n * interval '1 second', 2, null, n - :count
from generate_series(:count + 1, 2 * :count) as n
union all
select n, 'ne_b' || n, :first::timestamptz + (n - 2 * :count) * interval '1 second' + interval '0.5 seconds', 1, null, n
from generate_series(2 * :count + 1, 3 * :count) as n
union all
select n, 'ne_often', :first::timestamptz + 2 * :count * interval '1 second' + (n - 3 * :count) * interval '0.1 seconds',
  n - 3 * :count, case when n < :last then n + 1 end, 0
from generate_series(3 * :count + 1, :last) as n`;

const FILLED = `
(select filled.*, json, case when i % :apart = 1 then sub_market_ids || :market::text else sub_market_ids end as markets
 from filled join sample on k = i % :samples) as filled`;

const STATEMENTS = [
  CHANGES.replaceAll(':last', ':last::bigint').replaceAll(':count', ':count::bigint'),
  `insert into feed_change (n, item_id, scored_at, kind, known_at, at, head, revision)
   select n, id, scored_at, case revision when 1 then 'published' else 'replaced' end, known_at, known_at,
     max(scored_at) over (order by n), revision
   from (select *, :first::timestamptz + n * interval '0.5 seconds' as known_at from filled) as filled order by n`,
  `update feed_change set known_at = :first, at = :first where n = 0`,
  `insert into item (id, scored_at, json, sub_market_ids, n, has_terms, terms_version)
   select id, scored_at, json, markets, n, true, :version from ${FILLED} where until_n is null order by n`,
  `insert into item_version (id, n, until_n, scored_at, json, sub_market_ids)
   select id, n, until_n, scored_at, json, markets from ${FILLED} where until_n is not null order by n`,
  `insert into item_sub_market (sub_market_id, scored_at, item_id)
   select distinct market, scored_at, id from ${FILLED}, unnest(markets) as market where until_n is null`,
  `insert into item_version_sub_market (sub_market_id, scored_at, id, n, until_n)
   select distinct market, scored_at, id, n, until_n from ${FILLED}, unnest(markets) as market where until_n is not null`,
  'update feed_head set head = (select max(scored_at) from item), last_n = :last, past_n = :last',
  // The directory of markets has nothing to follow: its job would work during the measurements.
  `insert into market_generation (n, mark, is_served)
   select n, encode(mark, 'hex'), true from feed_change where n = :last`,
  'drop table filled, sample',
];
