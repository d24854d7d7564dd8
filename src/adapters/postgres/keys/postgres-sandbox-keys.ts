import type { Knex } from 'knex';
import type {
  NewSandboxKey,
  SandboxHolder,
  SandboxKey,
  SandboxKeys,
} from '../../../application/ports/keys/sandbox-keys.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { causesOf } from '../../../domain/keys/api-key.js';
import type { KeyHash } from '../../../domain/keys/key-value.js';
import type { Moment } from '../../../domain/moment.js';
import { type AccountBody, accountOf } from '../accounts/account-body.js';
import { withErrorMapping } from '../unavailable-database.js';

/** A deleted account has an address without `@` (`account-deletion.ts`). The lock waits for a deletion that is under way. */
const PUT = `
  insert into sandbox_key (account_id, hash, prefix, created_at)
  select id, :hash, :prefix, :createdAt from account where id = :account and email like '%@%' for update
  on conflict (account_id) do update
    set hash = excluded.hash, prefix = excluded.prefix, created_at = excluded.created_at`;

/** Sandbox keys in Postgres. A version that does not know them may have deleted the account of one. */
export class PostgresSandboxKeys implements SandboxKeys {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async find(hash: KeyHash): Promise<SandboxHolder | null> {
    const row = await withErrorMapping<{ readonly body: AccountBody } | undefined>(() =>
      this.#db('sandbox_key')
        .join('account', 'account.id', 'sandbox_key.account_id')
        .where({ hash })
        .whereLike('account.email', '%@%')
        .first('account.body'),
    );
    if (row === undefined) return null;
    const { id, subscription } = accountOf(row.body);
    return { account: id, causes: causesOf(subscription.suspension) };
  }

  async of(account: AccountId): Promise<SandboxKey | null> {
    const row = await withErrorMapping<{ readonly prefix: string; readonly created_at: Moment } | undefined>(
      () => this.#db('sandbox_key').where({ account_id: account }).first('prefix', 'created_at'),
    );
    return row === undefined ? null : { prefix: row.prefix, createdAt: row.created_at };
  }

  async put(account: AccountId, { hash, prefix, createdAt }: NewSandboxKey): Promise<boolean> {
    const { rowCount } = await withErrorMapping<{ readonly rowCount: number }>(async () =>
      this.#db.raw(PUT, { account, hash, prefix, createdAt }),
    );
    return rowCount === 1;
  }

  async remove(account: AccountId): Promise<boolean> {
    return (await withErrorMapping(() => deleteSandboxKey(this.#db, account))) === 1;
  }
}

/** Returns the number of deleted keys. */
export const deleteSandboxKey = async (db: Knex, account: AccountId): Promise<number> =>
  db('sandbox_key').where({ account_id: account }).delete();
