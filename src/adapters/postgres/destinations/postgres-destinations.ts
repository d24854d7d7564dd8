import type { Knex } from 'knex';
import { DELIVERING } from '../../../application/held-jobs.js';
import type {
  DeliveryStep,
  DestinationChanges,
  Destinations,
  StoredDestination,
} from '../../../application/ports/destinations/destinations.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { DestinationDecision } from '../../../domain/destinations/account-destinations.js';
import { DELIVERIES_SHOWN, type DeliveryEntry } from '../../../domain/destinations/delivery.js';
import type { Destination, DestinationId } from '../../../domain/destinations/destination.js';
import { NO_MARK, type Position } from '../../../domain/feed/position.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import { withErrorMapping } from '../unavailable-database.js';
import {
  columnsOf,
  DESTINATION_COLUMNS,
  type DestinationRow,
  storedDestinationOf,
} from './destination-rows.js';

/** Locks the counter until the end of the transaction, so that versions become visible in their order. */
const NEXT_VERSION = 'update destination_counter set version = version + 1 returning version, generation';

/** Steps of a process that has lost its lease change nothing, also if it does not know of the loss yet. */
const IS_HELD = `exists (
  select from held_lease where job = '${DELIVERING}' and holder = :holder and held_until > clock_timestamp()
)`;

const RECORD = `
with step as (
  select * from json_to_recordset(:steps) as step (
    id text, account text, version bigint, state json, n bigint, mark text, generation integer, batch json,
    entry json, entry_at timestamptz, notices json
  ) where ${IS_HELD}
), recorded as (
  update destination set state = step.state, n = step.n, mark = step.mark, generation = step.generation, batch = step.batch
  from step where destination.id = step.id and destination.version = step.version
  returning destination.id
), logged as (
  insert into destination_delivery (destination_id, at, entry)
  select id, entry_at, entry from step join recorded using (id) where entry is not null
), noticed as (
  insert into notice (account_id, occasion, notice, due_at)
  select account, notice ->> 'occasion', notice, entry_at
  from step join recorded using (id), json_array_elements(notices) as notice
  on conflict do nothing
)
select id from recorded`;

/** All moments have the same length, so that the order of the texts is that of the times (D3). */
const OLDEST_FIRST = `body ->> 'createdAt', id`;

const RESET = `
update destination_counter set generation = generation + 1, reset_at = clock_timestamp()
where reset_at is null or reset_at < clock_timestamp() - interval '10 seconds'`;

/** Destinations in Postgres. The row of the account is the lock of its destinations. */
export class PostgresDestinations implements Destinations {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  of(account: AccountId): Promise<readonly StoredDestination[]> {
    return this.#read((rows) => rows.where({ account_id: account }).orderByRaw(OLDEST_FIRST));
  }

  async find(id: DestinationId): Promise<StoredDestination | null> {
    const [found = null] = await this.#read((rows) => rows.where({ id }));
    return found;
  }

  async findByToken(hash: SecretHash): Promise<StoredDestination | null> {
    const [found = null] = await this.#read((rows) => rows.where({ token_hash: hash }));
    return found;
  }

  list(count: number): Promise<readonly StoredDestination[]> {
    const order = `case state ->> 'status' when 'failing' then 0 when 'disabled' then 1 else 2 end, version desc`;
    return this.#read((rows) => rows.orderByRaw(order).limit(count));
  }

  change(
    account: AccountId,
    decide: (all: readonly Destination[]) => DestinationDecision | Refusal,
  ): Promise<Destination | null | Refusal> {
    return withErrorMapping(() =>
      this.#db.transaction(async (tx) => {
        // Not `for update`, which would wait for a step that stores a mail, and it for this.
        const owner = await tx('account').where({ id: account }).forNoKeyUpdate().first('id');
        if (owner === undefined) return { refused: 'not_found', what: 'account' };
        const rows: readonly DestinationRow[] = await tx('destination')
          .where({ account_id: account })
          .whereNull('removed_at')
          .orderByRaw(OLDEST_FIRST)
          .forUpdate()
          .select(...DESTINATION_COLUMNS);
        const all = rows.map((row) => storedDestinationOf(row).destination);
        const change = decide(all);
        if (isRefusal(change)) return change;
        await writeChange(tx, account, all, change);
        return change.next;
      }),
    );
  }

  async deliveries(id: DestinationId): Promise<readonly DeliveryEntry[]> {
    const rows = await withErrorMapping<readonly { readonly entry: DeliveryEntry }[]>(() =>
      this.#db('destination_delivery')
        .where({ destination_id: id })
        .orderBy('n', 'desc')
        .limit(DELIVERIES_SHOWN)
        .select('entry'),
    );
    return rows.map(({ entry }) => entry);
  }

  async note(entry: DeliveryEntry): Promise<void> {
    const { destination: destination_id, at } = entry;
    await withErrorMapping(() =>
      this.#db('destination_delivery').insert({ destination_id, at, entry: JSON.stringify(entry) }),
    );
  }

  /** One snapshot: the counter and the rows up to its version. */
  async changedAfter(version: number): Promise<DestinationChanges> {
    const columns = DESTINATION_COLUMNS.map((name) => `changed.${name}`).join(', ');
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly (DestinationRow & Counter)[] }>(
        `select counter.version as newest, counter.generation as newest_generation, ${columns}
         from destination_counter as counter left join destination as changed on changed.version > ?`,
        [version],
      ),
    );
    const [first] = rows;
    if (first === undefined) throw new Error('the table destination_counter has no row');
    const found = rows.filter(({ id }) => id !== null);
    return {
      version: Number(first.newest),
      generation: first.newest_generation,
      changed: found.filter(({ body }) => body !== null).map(storedDestinationOf),
      removed: found.filter(({ body }) => body === null).map(({ id }) => id),
    };
  }

  async record(holder: string, steps: readonly DeliveryStep[]): Promise<ReadonlySet<DestinationId>> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { readonly id: DestinationId }[] }>(RECORD, {
        holder,
        steps: JSON.stringify(steps.map(stepRow)),
      }),
    );
    return new Set(rows.map(({ id }) => id));
  }

  async advance(holder: string, ids: readonly DestinationId[], { n, mark }: Position): Promise<void> {
    if (ids.length === 0) return;
    await withErrorMapping(() =>
      this.#db.raw(
        `update destination set n = :n, mark = :mark
         where id = any (:ids::text[]) and n < :n and batch is null and removed_at is null and ${IS_HELD}`,
        { holder, ids: [...ids], n, mark },
      ),
    );
  }

  async reset(): Promise<void> {
    await withErrorMapping(() => this.#db.raw(RESET));
  }

  async #read(filter: (rows: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<readonly StoredDestination[]> {
    const rows = await withErrorMapping<readonly DestinationRow[]>(() =>
      filter(this.#db('destination').whereNull('removed_at')).select(...DESTINATION_COLUMNS),
    );
    return rows.map(storedDestinationOf);
  }
}

type Counter = { readonly newest: string; readonly newest_generation: number };

const stepRow = ({ id, account, version, state, progress, entry, notices }: DeliveryStep) => {
  const { position, batch, generation } = progress;
  return { id, account, version, state, ...position, generation, batch, entry, entry_at: entry?.at, notices };
};

async function writeChange(
  tx: Knex.Transaction,
  account: AccountId,
  all: readonly Destination[],
  { id, next, entries }: DestinationDecision,
): Promise<void> {
  const { rows } = await tx.raw<{ rows: readonly { version: string; generation: number }[] }>(NEXT_VERSION);
  const { version, generation } = rows[0] ?? { version: '0', generation: 0 };
  if (next === null) await removeDestination(tx, id, version);
  else if (all.some((other) => other.id === id))
    await tx('destination')
      .where({ id })
      .update({ version, ...columnsOf(next) });
  else {
    const newest = await tx('feed_change')
      .orderBy('n', 'desc')
      .first('n', tx.raw(`encode(mark, 'hex') as mark`));
    const progress = { n: newest.n, mark: newest.mark ?? NO_MARK, generation };
    await tx('destination').insert({ id, account_id: account, version, ...progress, ...columnsOf(next) });
  }
  for (const entry of entries)
    await tx('audit').insert({ account_id: account, entry: JSON.stringify(entry) });
}

/** Removes what a destination is. Its row stays for a day, so that the process that delivers learns of it. */
async function removeDestination(tx: Knex.Transaction, id: DestinationId, version: string): Promise<void> {
  const removed = { body: null, batch: null, token_hash: null, removed_at: tx.raw('clock_timestamp()') };
  await tx('destination')
    .where({ id })
    .update({ version, ...removed });
  await tx('destination_delivery').where({ destination_id: id }).delete();
  await tx('destination').whereRaw(`removed_at < clock_timestamp() - interval '1 day'`).delete();
}

/** Removes all destinations of an account with their deliveries, in the transaction of its deletion. */
export async function removeDestinationsOf(tx: Knex.Transaction, account: AccountId): Promise<void> {
  const ids: readonly { readonly id: DestinationId }[] = await tx('destination')
    .where({ account_id: account })
    .whereNull('removed_at')
    .select('id');
  for (const { id } of ids) {
    const { rows } = await tx.raw<{ rows: readonly { readonly version: string }[] }>(NEXT_VERSION);
    await removeDestination(tx, id, rows[0]?.version ?? '0');
  }
}
