import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import type { GateEntry, GateSnapshot, StoredGate } from '../../../application/ports/keys/gate.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { Position } from '../../../domain/feed/position.js';
import { setControls } from '../../../domain/keys/key-controls.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import { FEED_SCOPE } from '../../../domain/keys/scope.js';
import { BatchedCalls } from '../../batching/batched-calls.js';
import { type AccountBody, accountOf, type KeyBody, keyFromBody } from '../accounts/account-body.js';
import { storedPosition } from '../feed/feed-queries.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Bounds the size of one answer: an account has a few kilobytes. */
const HASHES_PER_READ = 500;
/** While one read is under way, the next can begin. More would only make the reads smaller. */
const READS_MAX = 2;

type Found = { readonly holder: Holder | null; readonly position: Position };

/** The account of a key. `closed`: the key itself, if the account no longer lists it. */
type Holder = { readonly account: Account; readonly closed: KeyBody | null };

/**
 * The gate on Postgres: look-ups in the unique index of key hashes. Look-ups that wait at the same time share one query: many
 * keys that are first used at the same time wait for few of them.
 */
export class PostgresGate implements StoredGate {
  readonly #db: Knex;
  readonly #lookUps: BatchedCalls<KeyHash, Found>;

  constructor(db: Knex) {
    this.#db = db;
    const run = (hashes: readonly KeyHash[]) => this.#read(hashes);
    this.#lookUps = new BatchedCalls({ callsMax: HASHES_PER_READ, concurrentMax: READS_MAX, run });
  }

  async find(hash: KeyHash): Promise<GateEntry | null> {
    return (await this.snapshot(hash)).entry;
  }

  async snapshot(hash: KeyHash): Promise<GateSnapshot> {
    const { holder, position } = await this.#lookUps.call(hash);
    return { entry: holder === null ? null : entryOf(holder, hash), position };
  }

  async #read(hashes: readonly KeyHash[]): Promise<readonly Found[]> {
    const { rows } = await withErrorMapping(async () => keysQuery(this.#db, hashes));
    const [row] = rows;
    // As during a restore in steps.
    if (row === undefined) throw new Unavailable('Postgres', new Error('the log of accounts is empty'));
    const position = storedPosition(row.n, row.mark);
    const holders = new Map(rows.flatMap(holdersIn));
    return hashes.map((hash) => ({ holder: holders.get(hash) ?? null, position }));
  }
}

const holdersIn = ({ keys, body }: AccountRow): readonly (readonly [KeyHash, Holder])[] =>
  keys === null || body === null
    ? []
    : Object.entries(keys).map(([hash, closed]) => [hash as KeyHash, { account: accountOf(body), closed }]);

function entryOf({ account, closed }: Holder, hash: KeyHash): GateEntry | null {
  const key = closed === null ? account.keys.find((other) => other.hash === hash) : keyFromBody(closed);
  if (key === undefined) return null;
  const { state, plan, suspension, monitoring } = account.subscription;
  return {
    key: {
      id: key.id,
      state: shared(key.state),
      scopes: shared(key.scopes),
      controls: setControls(key.controls),
    },
    subscription: {
      id: account.subscription.id,
      plan,
      state,
      suspension: shared(suspension),
      monitoring: { isOn: monitoring.isOn, since: monitoring.since },
    },
  };
}

/** Nearly all keys have these values. All entries share one object of each, so that thousands of entries need less memory. */
const COMMON: readonly object[] = [{ status: 'active' }, [FEED_SCOPE]];

const shared = <Value extends object>(value: Value): Value =>
  (COMMON.find((common) => isDeepStrictEqual(common, value)) as Value | undefined) ?? value;

/** An account with those of its keys that were looked up. If no key was found, there is one row without them. */
type AccountRow = {
  /** By the hash of each key: its last state if the account no longer lists it, else null. */
  readonly keys: Readonly<Record<string, KeyBody | null>> | null;
  readonly body: AccountBody | null;
  /** The newest change of accounts; the same in every row. */
  readonly n: number;
  readonly mark: Buffer | null;
};

/**
 * The accounts of the keys with these hashes, each once, and the newest change of accounts, from one snapshot. The subqueries
 * make Postgres use the indexes for every hash; for a join with many hashes it would scan both tables if it estimates them
 * to be small.
 */
export const keysQuery = (
  db: Knex,
  hashes: readonly KeyHash[],
): Knex.Raw<{ readonly rows: readonly AccountRow[] }> =>
  db.raw(
    `select newest.n, newest.mark, found.keys,
       (select body from account where account.id = found.account_id) as body
     from (select n, mark from account_change order by n desc limit 1) as newest
     left join (
       select key.account_id, json_object_agg(wanted.hash, key.closed) as keys
       from unnest(?::text[]) as wanted (hash)
       cross join lateral (select account_id, closed from api_key where api_key.hash = wanted.hash limit 1) as key
       group by key.account_id
     ) as found on true`,
    [[...hashes]],
  );
