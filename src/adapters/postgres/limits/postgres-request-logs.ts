import type { Knex } from 'knex';
import type { RequestLogs } from '../../../application/ports/limits/request-logs.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import {
  FAILED_PER_KEY,
  keptOfKeys,
  type LoggedRequest,
  REQUESTS_PER_KEY,
} from '../../../domain/limits/request-log.js';
import type { Moment } from '../../../domain/moment.js';
import { withErrorMapping } from '../unavailable-database.js';

/** After so many new rows of a key, this instance deletes those that are no longer shown. */
const TRIM_AFTER = 25;
/** The most keys whose surplus rows one write deletes: those of 500 keys at once took 340 ms. */
const TRIMMED_MAX = 50;
/** The most keys whose new rows are counted. Beyond it the counts begin anew. */
const COUNTED_KEYS_MAX = 20_000;

const INSERT = `
  insert into request_log (key_id, at, method, path, query, status, code, duration_ms, bytes, request_id, network)
  select added.* from unnest(
    :keys::text[], :times::timestamptz[], :methods::text[], :paths::text[], :queries::text[], :statuses::integer[],
    :codes::text[], :durations::double precision[], :bytes::bigint[], :requestIds::text[], :networks::text[]
  ) as added (key_id, at, method, path, query, status, code, duration_ms, bytes, request_id, network)
  where exists (
    select from api_key join account on account.id = api_key.account_id
    where api_key.id = added.key_id and account.email like '%@%'
  )`;

/** The same rows as in `keptRequests` stay. Rows that another instance deletes at the same time are skipped. */
const TRIM = `
  with ranked as (
    select n, key_id, at, status >= 400 and row_number() over (
      partition by key_id, status >= 400 order by at desc, n desc
    ) <= :failed as is_reserved
    from request_log where key_id = any (:keys)
  ), surplus as (
    select n, row_number() over (partition by key_id order by is_reserved desc, at desc, n desc) as rank from ranked
  ), found as materialized (
    select n from request_log where n = any (array(select n from surplus where rank > :kept)) order by n for update skip locked
  )
  delete from request_log where n = any (array(select n from found))`;

/** The request log of all instances, in Postgres. */
export class PostgresRequestLogs implements RequestLogs {
  readonly #db: Knex;
  /** The rows of each key that this instance has added since it deleted surplus ones. */
  readonly #added = new Map<KeyId, number>();

  constructor(db: Knex) {
    this.#db = db;
  }

  async add(requests: readonly LoggedRequest[]): Promise<void> {
    await withErrorMapping(async () => this.#db.raw(INSERT, columnsOf(requests)));
    const keys = this.#toTrim(requests);
    if (keys.length === 0) return;
    const bindings = { keys: [...keys], failed: FAILED_PER_KEY, kept: REQUESTS_PER_KEY };
    await withErrorMapping(async () => this.#db.raw(TRIM, bindings));
  }

  async of(keys: readonly KeyId[], since: Moment): Promise<readonly LoggedRequest[]> {
    const rows: readonly LoggedRequest[] = await withErrorMapping(() =>
      this.#db('request_log')
        .select('key_id as key', 'at', 'method', 'path', 'query', 'status', 'code', 'bytes', 'network')
        .select('duration_ms as durationMs', 'request_id as requestId')
        .whereRaw('key_id = any(?)', [[...keys]])
        .where('at', '>=', since)
        .orderBy('n', 'desc'),
    );
    return keptOfKeys(rows);
  }

  #toTrim(requests: readonly LoggedRequest[]): readonly KeyId[] {
    if (this.#added.size > COUNTED_KEYS_MAX) this.#added.clear();
    for (const { key } of requests) this.#added.set(key, (this.#added.get(key) ?? 0) + 1);
    const keys = [...new Set(requests.map(({ key }) => key))]
      .filter((key) => (this.#added.get(key) ?? 0) >= TRIM_AFTER)
      .slice(0, TRIMMED_MAX);
    for (const key of keys) this.#added.delete(key);
    return keys;
  }
}

const columnsOf = (requests: readonly LoggedRequest[]) => ({
  keys: requests.map(({ key }) => key),
  times: requests.map(({ at }) => at),
  methods: requests.map(({ method }) => method),
  paths: requests.map(({ path }) => path),
  queries: requests.map(({ query }) => query),
  statuses: requests.map(({ status }) => status),
  codes: requests.map(({ code }) => code),
  durations: requests.map(({ durationMs }) => durationMs),
  bytes: requests.map(({ bytes }) => bytes),
  requestIds: requests.map(({ requestId }) => requestId),
  networks: requests.map(({ network }) => network),
});

/** In the transaction that deletes the account. */
export async function deleteRequestsOf(tx: Knex.Transaction, account: AccountId): Promise<void> {
  await tx.raw('delete from request_log where key_id in (select id from api_key where account_id = ?)', [
    account,
  ]);
}
