import type { Knex } from 'knex';
import type { OneTimeToken, OneTimeTokens } from '../../../application/ports/sign-in/one-time-tokens.js';
import type { SecretHash } from '../../../domain/sign-in/sign-in.js';
import { withErrorMapping } from '../unavailable-database.js';

/** One-time tokens in Postgres. `take` deletes the token. */
export class PostgresOneTimeTokens implements OneTimeTokens {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async keep(hash: SecretHash, token: OneTimeToken): Promise<void> {
    await withErrorMapping(() =>
      this.#db('ticket').insert({ hash, body: JSON.stringify(token), expires_at: token.expiresAt }),
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

  async removeLinks(email: string): Promise<void> {
    await withErrorMapping(() => deleteLinks(this.#db, email));
  }
}

/**
 * Deletes the links to one address. Scans the table: tokens live for minutes, and an index would need a migration. Postgres
 * cannot read a field of a JSON text with U+0000. Only data for an identity provider may contain it, never an email address,
 * so such rows are not links and are skipped.
 */
export const deleteLinks = async (db: Knex, email: string): Promise<void> => {
  await db.raw(
    `delete from ticket where case
       when strpos(body::text, '\\u0000') > 0 then false
       else body ->> 'kind' = 'link' and body ->> 'email' = ?
     end`,
    [email],
  );
};
