import type { Knex } from 'knex';
import {
  type AccountLists,
  type BusyDays,
  type Consumer,
  ENTRIES_READ_MAX,
  type Suspect,
  UNPAID_READ_MAX,
  type Unpaid,
} from '../../../application/ports/accounts/account-lists.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { DayCounts } from '../../../domain/accounts/account-days.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import { type Moment, startOfDay } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';
import { type AccountBody, accountOf } from './account-body.js';

type Row = { readonly body: AccountBody };

/** The email address of a deleted account has no `@`. */
const EXISTS = "email like '%@%'";

/** As in the index `account_blocked`: an index is used only for the same expression. */
const BLOCKED = `
  (json_text(body, '{subscription,state}') in ('incomplete', 'paused', 'unpaid')
    or (json_text(body, '{subscription,state}') in ('trialing', 'active')
      and json_text(body, '{subscription,standing,status}') = 'suspended'))`;

/** Each branch ends after `count` rows of its index: a domain can be that of most accounts. `~<~` is the order of these indexes. */
const BY_EMAIL = `
  select body from (
    (select email, body from account where email like :beginning and ${EXISTS}
     order by email using ~<~ limit :count)
    union all
    (select email, body from account
     where split_part(email, '@', 2) like :beginning and email not like :beginning and ${EXISTS}
     order by split_part(email, '@', 2) using ~<~, email using ~<~ limit :count)
  ) as found order by email limit :count`;

const SUSPECTED = `
  select body, (
    select json_text(entry, '{at}') from audit
    where account_id = account.id and json_text(entry, '{event}') = 'abuse_detected' order by n desc limit 1
  ) as since
  from account where json_text(body, '{subscription,standing,causes}') like '%"abuse"%' and ${EXISTS}
  order by id limit :count`;

/** `BLOCKED` names the index, which has few accounts; of these, a limited number is read and sorted. */
const DUNNING_ENDED = `
  select body, (
    select json_text(entry, '{at}') from audit
    where account_id = found.id and json_text(entry, '{event}') = 'payment_failed' order by n desc limit 1
  ) as since
  from (
    select id, body from account where ${BLOCKED} and ${EXISTS}
      and (json_text(body, '{subscription,state}') = 'unpaid'
        or json_text(body, '{subscription,standing,causes}') like '%"payment_failure"%')
    limit ${UNPAID_READ_MAX}
  ) as found order by since desc nulls last limit :count`;

/** Next due work is never later than the suspension, but for a moment after a fault of the service. */
const DUNNING = `
  select body from account
  where due_at <= :until and ${EXISTS} and exists (
    select 1 from json_array_elements(json_text(body, '{pending}')::json) as due
    where due ->> 'event' = 'payment_failed' and due ->> 'at' <= :until
  ) order by due_at limit :count`;

/** Each branch uses an index of its own. One id is of one kind, and the events of an invoice are few. */
const BY_OTHER_ID = `
  select body from account where id in (
    select id from account where processor_customer_id = :id
    union
    select id from account where json_text(body, '{subscription,id}') = :id
    union
    select account_id from payment_event where fact is not null and json_text(fact, '{invoice}') = :id
    union
    select account_id from payment_event where fact is not null and json_text(fact, '{subscription}') = :id
  ) order by id limit :count`;

const LARGEST = `
  select body, requests, refused from (
    select api_key.account_id, sum(usage.requests)::bigint as requests,
      coalesce(sum(usage.requests) filter (where status_class = '4xx'), 0)::bigint as refused
    from usage join api_key on api_key.id = usage.key_id
    where usage.hour >= :from group by 1
  ) as used
  join account on account.id = used.account_id and ${EXISTS}
  order by requests desc, account.id limit :count`;

const ON_PLAN = "json_text(body, '{subscription,plan}') = :plan";

const LISTING_MORE_KEYS = `
  select body from account
  where ${ON_PLAN} and ${EXISTS} and json_array_length(json_text(body, '{keys}')::json) > :keys
  order by id limit :count`;

/** Only the usage of accounts on the plan is added up. */
const BUSIEST = `
  select body, requests, refused from (
    select distinct on (account_id) account_id, requests, refused from (
      select api_key.account_id, sum(usage.requests)::bigint as requests,
        coalesce(sum(usage.requests) filter (where status_class = '4xx'), 0)::bigint as refused
      from account join api_key on api_key.account_id = account.id join usage on usage.key_id = api_key.id
      where ${ON_PLAN} and ${EXISTS} and usage.hour >= :from
      group by api_key.account_id, date_trunc('day', usage.hour at time zone 'UTC')
    ) as day where requests > :above order by account_id, requests desc
  ) as used
  join account on account.id = used.account_id
  order by requests desc, account.id limit :count`;

type DayRow = {
  readonly kind: 'opened' | 'canceled' | 'uncounted';
  /** `2026-11-21`. */
  readonly day: string;
  readonly counted: number;
};

/**
 * `account_opened` has no deleted accounts: `deleted_account_opened` has them. No index of the
 * audit log has the time: its newest entries are read by their number. The newest entry that is not read tells which days miss some.
 * `like` costs less than to parse the JSON of every entry.
 */
const BY_DAY = `
  select 'opened' as kind, left(at, 10) as day, count(*)::integer as counted from (
    select json_text(body, '{openedAt}') as at from account
    where ${EXISTS} and json_text(body, '{openedAt}') >= :from
    union all
    select json_text(body, '{openedAt}') from account
    where not (${EXISTS}) and json_text(body, '{openedAt}') >= :from
  ) as opening group by 2
  union all
  select 'canceled', left(json_text(entry, '{at}'), 10), count(*)::integer
  from (select entry from audit order by n desc limit ${ENTRIES_READ_MAX}) as newest
  where entry::text like '%"cancelled"%' and json_text(entry, '{event}') = 'cancelled'
    and json_text(entry, '{at}') >= :from group by 2
  union all
  select 'uncounted', left(json_text(entry, '{at}'), 10), 1
  from (select entry from audit order by n desc offset ${ENTRIES_READ_MAX} limit 1) as older`;

/** Lists of accounts in Postgres, each by an index of its own (`2026-12-09-account-lists.ts`). */
export class PostgresAccountLists implements AccountLists {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  withEmailPart(text: string, count: number): Promise<readonly Account[]> {
    const literal = text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&');
    return this.#list(BY_EMAIL, { beginning: `${literal}%`, count });
  }

  withOtherId(id: string, count: number): Promise<readonly Account[]> {
    return this.#list(BY_OTHER_ID, { id, count });
  }

  newest(count: number): Promise<readonly Account[]> {
    const order = "order by json_text(body, '{openedAt}') desc nulls last, id desc";
    return this.#list(`select body from account where ${EXISTS} ${order} limit :count`, { count });
  }

  async refused(count: number): Promise<number> {
    const { rows } = await this.#query<{ readonly counted: number }>(
      `select count(*)::integer as counted from (select 1 from account where ${BLOCKED} and ${EXISTS} limit :count) as found`,
      { count },
    );
    return rows[0]?.counted ?? 0;
  }

  async suspectedOfAbuse(count: number): Promise<readonly Suspect[]> {
    const { rows } = await this.#query<Row & { readonly since: Moment | null }>(SUSPECTED, { count });
    return rows.map(({ body, since }) => ({ account: accountOf(body), since }));
  }

  async dunningEnded(count: number): Promise<readonly Unpaid[]> {
    const { rows } = await this.#query<Row & { readonly since: Moment | null }>(DUNNING_ENDED, { count });
    return rows.map(({ body, since }) => ({ account: accountOf(body), since }));
  }

  dunningDueBy(until: Moment, count: number): Promise<readonly Account[]> {
    return this.#list(DUNNING, { until, count });
  }

  largest(from: Moment, count: number): Promise<readonly Consumer[]> {
    return this.#consumers(LARGEST, { from, count });
  }

  async byDay(from: Moment): Promise<DayCounts> {
    const { rows } = await this.#query<DayRow>(BY_DAY, { from });
    const of = (wanted: DayRow['kind']): ReadonlyMap<Moment, number> =>
      new Map(
        rows
          .filter(({ kind }) => kind === wanted)
          .map(({ day, counted }) => [startOfDay(day as Moment), counted] as const),
      );
    const [uncountedUntil = null] = of('uncounted').keys();
    return { opened: of('opened'), canceled: of('canceled'), uncountedUntil };
  }

  async onPlan(plan: PlanName, count: number): Promise<number> {
    const { rows } = await this.#query<{ readonly counted: number }>(
      `select count(*)::integer as counted from (select 1 from account where ${ON_PLAN} and ${EXISTS} limit :count) as found`,
      { plan, count },
    );
    return rows[0]?.counted ?? 0;
  }

  listingMoreKeys(plan: PlanName, keys: number, count: number): Promise<readonly Account[]> {
    return this.#list(LISTING_MORE_KEYS, { plan, keys, count });
  }

  busiest({ plan, from, above }: BusyDays, count: number): Promise<readonly Consumer[]> {
    return this.#consumers(BUSIEST, { plan, from, above, count });
  }

  async #consumers(
    sql: string,
    values: Readonly<Record<string, string | number>>,
  ): Promise<readonly Consumer[]> {
    const { rows } = await this.#query<Row & Omit<Consumer, 'account'>>(sql, values);
    return rows.map(({ body, requests, refused }) => ({ account: accountOf(body), requests, refused }));
  }

  async #list(sql: string, values: Readonly<Record<string, string | number>>): Promise<readonly Account[]> {
    const { rows } = await this.#query<Row>(sql, values);
    return rows.map(({ body }) => accountOf(body));
  }

  #query<R>(sql: string, values: Readonly<Record<string, string | number>>) {
    return withErrorMapping(async () => this.#db.raw<{ readonly rows: readonly R[] }>(sql, values));
  }
}
