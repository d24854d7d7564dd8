import type { Knex } from 'knex';
import type { Turn, Turns } from '../../application/ports/turns.js';
import type { Moment } from '../../domain/moment.js';
import { answered } from './unavailable-database.js';

/** Who was killed over its turn keeps it so long. */
const TURN = '2 minutes';

/** Turns in Postgres, by the database's own clock. */
export class PostgresTurns implements Turns {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async take(work: string, now: Moment, insists: boolean): Promise<Turn | null> {
    const { rows } = await answered(() =>
      this.#db.raw<{ rows: readonly Turn[] }>(
        `insert into turn (work, taken_until) values (?, clock_timestamp() + interval '${TURN}')
         on conflict (work) do update set taken_until = excluded.taken_until
         where (turn.taken_until is null or turn.taken_until < clock_timestamp())
           and (?::boolean or turn.due_at is null or turn.due_at <= ?)
         returning mark`,
        [work, insists, now],
      ),
    );
    return rows[0] ?? null;
  }

  async done(work: string, mark: Moment | null, nextAt: Moment): Promise<void> {
    await answered(() =>
      this.#db('turn').where({ work }).update({ mark, due_at: nextAt, taken_until: null }),
    );
  }

  async giveUp(work: string): Promise<void> {
    await answered(() => this.#db('turn').where({ work }).update({ taken_until: null }));
  }
}
