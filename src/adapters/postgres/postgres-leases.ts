import type { Knex } from 'knex';
import type { Lease, Leases } from '../../application/ports/leases.js';
import type { Moment } from '../../domain/moment.js';
import { BOUNDED_NOW } from './database-now.js';
import { withErrorMapping } from './unavailable-database.js';

/** The lease of a killed instance expires after this time. */
const LEASE_DURATION = '2 minutes';

/** Leases in Postgres. They expire by the clock of the database. The token of a lease is the time at which it expires. */
export class PostgresLeases implements Leases {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async acquire(job: string, now: Moment, isForced: boolean): Promise<Lease | null> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly Omit<Lease, 'job'>[] }>(
        `insert into turn (work, taken_until) values (?, clock_timestamp() + interval '${LEASE_DURATION}')
         on conflict (work) do update set taken_until = excluded.taken_until
         where (turn.taken_until is null or turn.taken_until < clock_timestamp())
           and (?::boolean or turn.due_at is null or turn.due_at <= ${BOUNDED_NOW})
         returning mark as checkpoint, taken_until::text as token, ${BOUNDED_NOW} as now`,
        [job, isForced, now, now],
      ),
    );
    const [row] = rows;
    return row === undefined ? null : { job, ...row };
  }

  async release(lease: Lease, checkpoint: Moment | null, nextAt: Moment): Promise<void> {
    await withErrorMapping(() =>
      this.#held(lease).update({ mark: checkpoint, due_at: nextAt, taken_until: null }),
    );
  }

  async abandon(lease: Lease): Promise<void> {
    await withErrorMapping(() => this.#held(lease).update({ taken_until: null }));
  }

  /** No row if the lease has expired and the job was granted to another caller. */
  #held({ job, token }: Lease): Knex.QueryBuilder {
    return this.#db('turn').where({ work: job }).whereRaw('taken_until = ?::timestamptz', [token]);
  }
}
