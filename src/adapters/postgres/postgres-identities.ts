import type { Knex } from 'knex';
import type { Identities, Identity } from '../../application/ports/identities.js';
import type { AccountId } from '../../domain/account.js';
import { isStorable } from './storable.js';
import { answered } from './unavailable-database.js';

/** Which account a person at a provider signs in to, in Postgres. */
export class PostgresIdentities implements Identities {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async accountOf({ issuer, subject }: Identity): Promise<AccountId | null> {
    if (!isStorable(issuer + subject)) return null;
    const row = await answered<{ account_id: AccountId } | undefined>(() =>
      this.#db('identity').where({ issuer, subject }).first('account_id'),
    );
    return row?.account_id ?? null;
  }

  async join(identity: Identity, account: AccountId): Promise<AccountId> {
    const { issuer, subject } = identity;
    await answered(() =>
      this.#db('identity').insert({ issuer, subject, account_id: account }).onConflict().ignore(),
    );
    return (await this.accountOf(identity)) ?? account;
  }
}
