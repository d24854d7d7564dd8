import type { Knex } from 'knex';
import type {
  AccountCounts,
  AccountStatistics,
  CountedBatch,
} from '../../../application/ports/accounts/account-statistics.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Reads each account of a batch once. The names of the fields are those of `AccountBody`. */
const COUNTS = `
  with counted as materialized (
    select id, body->'subscription'->>'plan' as plan,
      case
        when body->'subscription'->>'state' in ('trialing', 'active')
          and body->'subscription'->'standing'->>'status' = 'suspended' then 'suspended'
        else body->'subscription'->>'state'
      end as state,
      body->'keys' as keys
    from account where id > ? order by id limit ?
  )
  select 'key' as what, null as plan, (select max(id) from counted) as last, state, count(*)::integer as count
  from (
    select key->'state'->>'status' as state from counted, json_array_elements(keys) as key
    union all
    select 'revoked' from counted join api_key on api_key.account_id = counted.id where closed is not null
  ) as of_keys group by state
  union all
  select 'subscription', plan, (select max(id) from counted), state, count(*)::integer from counted group by plan, state`;

type Row = {
  readonly what: 'key' | 'subscription';
  readonly last: AccountId;
} & AccountCounts['subscriptions'][number];

/** Counts in Postgres, with one query for a batch, by the primary key. */
export class PostgresAccountStatistics implements AccountStatistics {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async count(after: AccountId | null, accounts: number): Promise<CountedBatch> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ readonly rows: readonly Row[] }>(COUNTS, [after ?? '', accounts]),
    );
    const of = (what: Row['what']) => rows.filter((row) => row.what === what);
    const counted = of('subscription').reduce((sum, { count }) => sum + count, 0);
    return {
      keys: of('key').map(({ state, count }) => ({ state, count })) as unknown as AccountCounts['keys'],
      subscriptions: of('subscription').map(({ plan, state, count }) => ({ plan, state, count })),
      last: counted < accounts ? null : (rows[0]?.last ?? null),
    };
  }
}
