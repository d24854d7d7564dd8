import type { Knex } from 'knex';
import type {
  Identities,
  Identity,
  JoinedIdentity,
  RecordChange,
} from '../../../application/ports/sign-in/identities.js';
import { NotNow } from '../../../application/unavailable.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import { isDeleted } from '../../../domain/accounts/account-deletion.js';
import type { Moment } from '../../../domain/moment.js';
import type { Refusal } from '../../../domain/refusal.js';
import { type AccountBody, accountOf } from '../accounts/account-body.js';
import { writeChange } from '../accounts/account-writing.js';
import { withErrorMapping } from '../unavailable-database.js';

type Row = { readonly issuer: string; readonly subject: string; readonly joined_at: Moment };

/** Identities in Postgres. A change locks the account first, and writes its audit entry in the same transaction. */
export class PostgresIdentities implements Identities {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async accountOf({ issuer, subject }: Identity): Promise<AccountId | null> {
    const row = await withErrorMapping<{ account_id: AccountId } | undefined>(() =>
      this.#db('identity').where({ issuer, subject }).first('account_id'),
    );
    return row?.account_id ?? null;
  }

  async join(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<AccountId> {
    if (await this.#joins(identity, account, record)) return account;
    // The identity already belongs to an account. If it was removed in the meantime, try again.
    return (await this.accountOf(identity)) ?? this.join(identity, account, record);
  }

  async of(account: AccountId): Promise<readonly JoinedIdentity[]> {
    const rows = await withErrorMapping<readonly Row[]>(() =>
      this.#db('identity')
        .where({ account_id: account })
        .orderBy('joined_at')
        .select('issuer', 'subject', 'joined_at'),
    );
    return rows.map(({ issuer, subject, joined_at }) => ({ issuer, subject, joinedAt: joined_at }));
  }

  async removeAll(account: AccountId, record: RecordChange): Promise<Account | Refusal> {
    return withErrorMapping(() =>
      this.#db.transaction(async (tx) => {
        const locked = await lockedAccount(tx, account);
        if (locked === null || isDeleted(locked)) return NO_ACCOUNT;
        await tx('identity').where({ account_id: account }).delete();
        const change = record(locked);
        await writeChange(tx, locked, change);
        return change.next;
      }),
    );
  }

  /** Whether this call joined the identity; false if it already belongs to an account. */
  async #joins(identity: JoinedIdentity, account: AccountId, record: RecordChange): Promise<boolean> {
    const { issuer, subject, joinedAt } = identity;
    return withErrorMapping(() =>
      this.#db.transaction(async (tx) => {
        const locked = await lockedAccount(tx, account);
        if (locked === null) throw new Error('cannot join an identity to an unknown account: not_found');
        if (isDeleted(locked)) throw new NotNow('the account', undefined, 'was deleted meanwhile');
        const joined = await tx('identity')
          .insert({ issuer, subject, account_id: account, joined_at: joinedAt })
          .onConflict()
          .ignore()
          .returning('subject');
        if (joined.length === 0) return false;
        await writeChange(tx, locked, record(locked));
        return true;
      }),
    );
  }
}

const NO_ACCOUNT: Refusal = { refused: 'not_found', what: 'account' };

async function lockedAccount(tx: Knex.Transaction, id: AccountId): Promise<Account | null> {
  const row: { readonly body: AccountBody } | undefined = await tx('account')
    .where({ id })
    .forUpdate()
    .first('body');
  return row === undefined ? null : accountOf(row.body);
}
