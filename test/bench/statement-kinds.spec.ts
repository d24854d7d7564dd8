import { expect } from 'chai';
import { benchModule } from './module.js';

type StatementKinds = { readonly kindOf: (query: string) => string };

describe('The kinds of statements of npm run bench:fleet', () => {
  // biome-ignore format: a table is read by its columns
  for (const [query, kind] of [
    ['select newest.n, newest.mark, wanted.hash, ( select account.body from api_key join account on account.id = api_key.account_id where api_key.hash = wanted.hash ) as body from (select n, mark from account_change order by n desc limit 1) as newest cross join unnest($1::text[]) as wanted (hash)', 'key look-up by hash'],
    ['select api_key.hash, account.body from "api_key" join "account" on true where hash = any($1)', 'key look-up by hash'],
    ['select "body" from "account" where "id" in (select "account_id" from "api_key" where "id" = $1) limit $2', 'account reads'],
    ['select * from "account" where "id" = $1 limit $2 for update', 'account reads'],
    ['update "account" set "email" = $1, "body" = $2 where "id" = $3', 'account changes'],
    ['with keys as ( insert into api_key (id) select id from x ), audited as ( insert into audit (account_id) select $1 ) insert into notice (account_id) select $2 on conflict do nothing', 'account changes'],
    ['with noted as (select * from unnest($1)), locked as (select 1 for update of api_key) update api_key set last_used_at = $2', 'time of last use'],
    ['select * from "feed_change" where "n" > $1 order by "n" asc limit $2', 'feed log'],
    ['select * from account_change where n >= $1', 'account log'],
    ['select * from (select 1 from feed_change where n >= $1 limit $2) as feed full join (select 1 from account_change where n >= $3) as accounts on false', 'both change logs in one read'],
    ['with logged as ( insert into feed_change (n) select $1 ) update feed_head set head = $2', 'publication: writes'],
    ['with deleted as ( delete from item where id = any($1) returning scored_at ), unlisted as ( delete from item_sub_market as listed using deleted ) select count(*) from deleted', 'publication: writes'],
    ['select id, name from term where name = any($1::text[])', 'publication: terms'],
    ['with item as ( insert into item_terms (scored_at) select $1 returning scored_at ) insert into item_facet (term) select $2 from item on conflict do nothing', 'publication: terms'],
    ['select scored_at, json, sub_market_ids from item where has_terms is null order by scored_at desc limit $1 for update skip locked', 'indexing items'],
    ['select scored_at, json, sub_market_ids from item where (item.has_terms is null or item.terms_version is null or item.terms_version < 2) and has_terms is not null order by scored_at desc limit $1 for update skip locked', 'indexing items'],
    ['update item set has_terms = $1 where scored_at = any($2::timestamptz[])', 'indexing items'],
    ['select state.*, found.* from ( select head from feed_head limit $1) as state left join lateral (select item.id from item join (select scored_at from item_terms) as listed using (scored_at) union all (select item.id from item where item.has_terms is null order by item.scored_at desc limit $2)) as found on true', 'feed page'],
    ['select state.*, found.* from ( select head from feed_head limit $1) as state left join lateral (select item.id from item join (select scored_at from item_terms) as listed using (scored_at) union all (select item.id from item where (item.has_terms is null or item.terms_version is null or item.terms_version < 2) order by item.scored_at desc limit $2)) as found on true', 'feed page'],
    ['delete from feed_change where n = any (array(select n from feed_change for update skip locked))', 'retention'],
    ['select state.*, found.* from ( select head, last_n, past_n, (select mark from feed_change where n = last_n) as mark from feed_head limit $1) as state left join lateral (select "item"."id" from "item" order by "item"."scored_at" desc limit $2) as found on true', 'feed page'],
    ['select head, last_n, past_n, (select mark from feed_change where n = last_n) as mark from feed_head limit $1', 'head of the feed'],
    ['select state.*, found.* from ( select head, last_n, past_n, (select mark from feed_change where n = last_n) as mark from feed_head limit $1) as state left join lateral (select "item"."id" from "item" where item.id = any($2::text[])) as found on true', 'items by id'],
    ['insert into usage (key_id) select * from unnest($1) on conflict (key_id) do update set requests = usage.requests', 'usage counts'],
    ['with seen as ( insert into instance (id) values ($1) on conflict (id) do update set seen_at = $2 ) select count(*) from instance', 'heartbeat of an instance'],
    ["update notice set state = $1 where id in (select id from notice where due_at <= $2 for update skip locked)", 'outbox'],
    ['select "entry" from "audit" where "account_id" = $1 order by "n" asc', 'account reads'],
    ['BEGIN;', 'transaction control'],
    ['select $1', 'connection check'],
    ['select * from pg_tables', 'other'],
  ] as const) {
    it(`counts “${query.slice(0, 70)}” as “${kind}”`, async () => {
      const { kindOf } = await benchModule<StatementKinds>('statement-kinds.mjs');
      expect(kindOf(query)).to.equal(kind);
    });
  }
});
