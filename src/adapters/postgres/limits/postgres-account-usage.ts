import type { Knex } from 'knex';
import type { AccountUsage } from '../../../application/ports/limits/account-usage.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { NO_REQUESTS, type StatusClass, type UsageCount } from '../../../domain/limits/usage.js';
import type { Moment } from '../../../domain/moment.js';
import { BatchedCalls } from '../../batching/batched-calls.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Bounds the work of one query: it reads the day of every key of as many accounts. */
const KEYS_PER_READ = 100;
/** As for the gate: after a loss, the keys of all customers are read within a short time. */
const READS_MAX = 2;

const HOURS = `
  select key_id as key, hour, status_class as "statusClass", requests from usage
  where hour >= :from and key_id = any (array(
    select id from api_key where account_id = (select account_id from api_key where id = :key)
  ))`;

type Asked = { readonly key: KeyId; readonly from: Moment };
type Requests = Readonly<Record<StatusClass, number>>;
type Row = { readonly key: KeyId; readonly statusClass: StatusClass; readonly requests: number };

/** The usage of accounts in Postgres. Keys that are asked for at the same time share one query. */
export class PostgresAccountUsage implements AccountUsage {
  readonly #db: Knex;
  readonly #reads: BatchedCalls<Asked, Requests>;

  constructor(db: Knex) {
    this.#db = db;
    this.#reads = new BatchedCalls({
      groupOf: ({ from }: Asked) => from,
      callsMax: KEYS_PER_READ,
      concurrentMax: READS_MAX,
      run: (asked) => read(db, asked),
    });
  }

  since(key: KeyId, from: Moment): Promise<Requests> {
    return this.#reads.call({ key, from });
  }

  async hours(key: KeyId, from: Moment): Promise<readonly UsageCount[]> {
    const { rows } = await withErrorMapping(async () =>
      this.#db.raw<{ readonly rows: readonly UsageCount[] }>(HOURS, { key, from }),
    );
    return rows;
  }
}

/**
 * The usage of the accounts of these keys. The subquery with a sum makes Postgres use the primary key of the usage for each key; for
 * a join it would scan the whole table if it has no statistics of it.
 */
export const accountUsageQuery = (
  db: Knex,
  keys: readonly KeyId[],
  from: Moment,
): Knex.Raw<{ readonly rows: readonly Row[] }> =>
  db.raw(
    `select wanted.key, used.status_class as "statusClass", sum(used.requests)::bigint as requests
     from unnest(?::text[]) as wanted (key)
     join api_key on api_key.account_id = (select account_id from api_key where id = wanted.key)
     cross join lateral (
       select status_class, sum(requests) as requests from usage
       where key_id = api_key.id and hour >= ? group by status_class
     ) as used
     group by 1, 2`,
    [[...keys], from],
  );

/** All of `asked` have the same time. */
async function read(db: Knex, asked: readonly Asked[]): Promise<readonly Requests[]> {
  const [first] = asked;
  if (first === undefined) return [];
  const keys = asked.map(({ key }) => key);
  const { rows } = await withErrorMapping(async () => accountUsageQuery(db, keys, first.from));
  const found = new Map<KeyId, Record<StatusClass, number>>();
  for (const { key, statusClass, requests } of rows) {
    const total = found.get(key) ?? { ...NO_REQUESTS };
    total[statusClass] = requests;
    found.set(key, total);
  }
  return keys.map((key) => found.get(key) ?? NO_REQUESTS);
}
