import type { Knex } from 'knex';
import type { Gate, GateEntry } from '../../../application/ports/keys/gate.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import { type AccountBody, accountOf } from '../accounts/account-body.js';
import { withErrorMapping } from '../unavailable-database.js';

/** The gate on Postgres: one lookup in the unique index of key hashes. */
export class PostgresGate implements Gate {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(hash: KeyHash): Promise<GateEntry | null> {
    const row = await withErrorMapping<{ body: AccountBody } | undefined>(() => keyQuery(this.#db, hash));
    if (row === undefined) return null;
    const account = accountOf(row.body);
    const key = account.keys.find((other) => other.hash === hash);
    if (key === undefined) return null;
    const { id, state, scopes } = key;
    return { key: { id, state, scopes }, subscription: account.subscription };
  }
}

/** The account of the key with this hash. */
export const keyQuery = (db: Knex, hash: KeyHash) =>
  db('api_key')
    .join('account', 'account.id', 'api_key.account_id')
    .where('api_key.hash', hash)
    .first('account.body');
