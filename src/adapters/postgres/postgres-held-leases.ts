import type { Knex } from 'knex';
import type { HeldLeases } from '../../application/ports/held-leases.js';
import { LEASE_SECONDS } from '../../domain/held-lease.js';
import { withErrorMapping } from './unavailable-database.js';

/** In the order of the jobs, so that two processes lock the rows in one order. */
const RENEW = `
insert into held_lease (job, holder, held_until)
select job, ?, clock_timestamp() + interval '${LEASE_SECONDS} seconds' from unnest(?::text[]) as job order by job
on conflict (job) do update set holder = excluded.holder, held_until = excluded.held_until
where held_lease.holder = excluded.holder or held_lease.held_until < clock_timestamp()
returning job`;

/** Leases in Postgres. They end by the clock of the database. */
export class PostgresHeldLeases implements HeldLeases {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async renew(holder: string, jobs: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { readonly job: string }[] }>(RENEW, [holder, [...jobs]]),
    );
    return new Set(rows.map(({ job }) => job));
  }

  async release(holder: string): Promise<void> {
    await withErrorMapping(() => this.#db('held_lease').where({ holder }).delete());
  }
}
