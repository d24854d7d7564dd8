import type { Knex } from 'knex';
import type { Outbox, QueuedNotice } from '../../../application/ports/accounts/outbox.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import type { Notice } from '../../../domain/accounts/notice.js';
import type { Moment } from '../../../domain/moment.js';
import { BOUNDED_NOW } from '../database-now.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Notices in Postgres. State: `waiting`, `sending` after the claim, then `sent`, `refused` or `in doubt`. */
export class PostgresOutbox implements Outbox {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Not if the account was deleted meanwhile. */
  async queue(account: AccountId, notice: Notice, dueAt: Moment): Promise<void> {
    await withErrorMapping(async () =>
      this.#db.raw(
        `insert into notice (account_id, occasion, notice, due_at)
         select id, ?, ?::json, ?::timestamptz from account where id = ? and email like '%@%'
         on conflict do nothing`,
        [notice.occasion, JSON.stringify(notice), dueAt, account],
      ),
    );
  }

  /** The rows are chosen once: where a join chooses them again for each of its rows, it claims more than `count`. */
  async claim(now: Moment, count: number): Promise<readonly QueuedNotice[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly QueuedNotice[] }>(
        `with due as materialized (
           select id from notice where state = 'waiting' and due_at <= ${BOUNDED_NOW}
           order by due_at, id limit ? for update skip locked
         ), claimed as (
           update notice set state = 'sending', attempts = attempts + 1, attempted_at = ${BOUNDED_NOW}
           from due where notice.id = due.id
           returning notice.id, notice.notice, notice.attempts, notice.due_at
         ) select id::text, notice, attempts from claimed order by claimed.due_at, claimed.id`,
        [now, count, now],
      ),
    );
    return rows;
  }

  async close(id: string, outcome: 'sent' | 'refused' | 'in doubt'): Promise<void> {
    await withErrorMapping(() => this.#db('notice').where({ id }).update({ state: outcome }));
  }

  async putBack(id: string, dueAt: Moment): Promise<void> {
    await withErrorMapping(() =>
      this.#db('notice').where({ id }).update({ state: 'waiting', due_at: dueAt }),
    );
  }
}
