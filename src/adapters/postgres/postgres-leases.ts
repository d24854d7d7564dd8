import type { Knex } from 'knex';
import type { Lease, Leases } from '../../application/ports/leases.js';
import type { Moment } from '../../domain/moment.js';
import { withErrorMapping } from './unavailable-database.js';

/** The lease of a killed instance expires after this time. */
const LEASE_DURATION = '2 minutes';

/** Leases in Postgres. They expire by the clock of the database. */
export class PostgresLeases implements Leases {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async acquire(job: string, now: Moment, isForced: boolean): Promise<Lease | null> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly Lease[] }>(
        `insert into turn (work, taken_until) values (?, clock_timestamp() + interval '${LEASE_DURATION}')
         on conflict (work) do update set taken_until = excluded.taken_until
         where (turn.taken_until is null or turn.taken_until < clock_timestamp())
           and (?::boolean or turn.due_at is null or turn.due_at <= ?)
         returning mark as checkpoint`,
        [job, isForced, now],
      ),
    );
    return rows[0] ?? null;
  }

  async release(job: string, checkpoint: Moment | null, nextAt: Moment): Promise<void> {
    await withErrorMapping(() =>
      this.#db('turn').where({ work: job }).update({ mark: checkpoint, due_at: nextAt, taken_until: null }),
    );
  }

  async abandon(job: string): Promise<void> {
    await withErrorMapping(() => this.#db('turn').where({ work: job }).update({ taken_until: null }));
  }
}
