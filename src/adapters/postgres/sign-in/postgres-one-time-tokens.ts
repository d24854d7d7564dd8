import type { Knex } from 'knex';
import type { OneTimeToken, OneTimeTokens } from '../../../application/ports/sign-in/one-time-tokens.js';
import type { Moment } from '../../../domain/moment.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import { withErrorMapping } from '../unavailable-database.js';

/** Expired tickets cleared away with each new one: more than one, so that they become fewer. */
const CLEARED = 10;

/** One-time tickets in Postgres: to take one is to delete it. */
export class PostgresOneTimeTokens implements OneTimeTokens {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async keep(hash: SecretHash, token: OneTimeToken, now: Moment): Promise<void> {
    await withErrorMapping(() =>
      this.#db.raw(
        `with cleared as (
           delete from ticket where hash in (
             select hash from ticket where expires_at <= ? limit ${CLEARED} for update skip locked
           )
         )
         insert into ticket (hash, body, expires_at) values (?, ?, ?)`,
        [now, hash, JSON.stringify(token), token.expiresAt],
      ),
    );
  }

  async find(hash: SecretHash): Promise<OneTimeToken | null> {
    const row = await withErrorMapping<{ body: OneTimeToken } | undefined>(() =>
      this.#db('ticket').where({ hash }).first('body'),
    );
    return row?.body ?? null;
  }

  async take(hash: SecretHash): Promise<OneTimeToken | null> {
    const [row] = await withErrorMapping<readonly { body: OneTimeToken }[]>(() =>
      this.#db('ticket').where({ hash }).delete().returning('body'),
    );
    return row?.body ?? null;
  }

  /**
   * By a scan: tickets live for minutes, and an index would need a migration. Postgres cannot take a member from a JSON
   * text with U+0000 in it, which what a provider sent may hold; an address holds none.
   */
  async removeLinks(email: string): Promise<void> {
    await withErrorMapping(() =>
      this.#db.raw(
        `delete from ticket where case
           when strpos(body::text, '\\u0000') > 0 then false
           else body ->> 'kind' = 'link' and body ->> 'email' = ?
         end`,
        [email],
      ),
    );
  }
}
