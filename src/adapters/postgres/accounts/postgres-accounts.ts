import type { Knex } from 'knex';
import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Account, AccountId, AuditEntry, Change } from '../../../domain/accounts/account.js';
import type { KeyId } from '../../../domain/keys/api-key.js';
import { withClosedKey } from '../../../domain/keys/listed-keys.js';
import type { Moment } from '../../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../../domain/refusal.js';
import { BOUNDED_NOW } from '../database-now.js';
import { withErrorMapping } from '../unavailable-database.js';
import { type AccountBody, accountOf, type KeyBody, keyFromBody } from './account-body.js';
import { columns, insertRelatedRows, isTaken, writeChange } from './account-writing.js';

type Row = { readonly body: AccountBody };

/** The most accounts that a search by key prefix returns. */
const FOUND_MAX = 10;

/**
 * The sum of this and the polling interval is less than 30 s, so that due work is at most 30 s late even if an instance
 * with a claim is killed.
 */
const CLAIM_DURATION = '15 seconds';

/** Accounts in Postgres. The row of an account is its lock, so changes of one account run one after another. */
export class PostgresAccounts implements Accounts {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async open(opening: Change): Promise<Account | Refusal> {
    const { next } = opening;
    try {
      return await withErrorMapping(() =>
        this.#db.transaction(async (tx) => {
          await tx('account').insert({ id: next.id, ...columns(next) });
          await insertRelatedRows(tx, opening);
          return next;
        }),
      );
    } catch (fault) {
      if (isTaken(fault)) return refuse('account_exists');
      throw fault;
    }
  }

  async change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal> {
    try {
      return await withErrorMapping(() =>
        this.#db.transaction(async (tx) => {
          const row: Row | undefined = await tx('account').where({ id }).forUpdate().first('body');
          if (row === undefined) return { refused: 'not_found', what: 'account' };
          const account = accountOf(row.body);
          const change = decide(account);
          if (!isRefusal(change)) await writeChange(tx, account, change);
          return isRefusal(change) ? change : change.next;
        }),
      );
    } catch (fault) {
      if (isTaken(fault)) return refuse('account_exists');
      throw fault;
    }
  }

  find(id: AccountId): Promise<Account | null> {
    return this.#first((db) => db.where({ id }));
  }

  async findAll(ids: readonly AccountId[]): Promise<readonly Account[]> {
    const rows = await withErrorMapping<readonly Row[]>(() =>
      this.#db('account')
        .whereRaw('id = any (?::text[])', [[...ids]])
        .select('body'),
    );
    return rows.map(({ body }) => accountOf(body));
  }

  findByEmail(email: string): Promise<Account | null> {
    return this.#first((db) => db.where({ email: email.toLowerCase() }));
  }

  async findByKey(key: KeyId): Promise<Account | null> {
    const row = await withErrorMapping<(Row & { readonly closed: KeyBody | null }) | undefined>(() =>
      this.#db('api_key')
        .join('account', 'account.id', 'api_key.account_id')
        .where('api_key.id', key)
        .first('account.body', 'api_key.closed'),
    );
    if (row === undefined) return null;
    const account = accountOf(row.body);
    return row.closed === null ? account : withClosedKey(account, keyFromBody(row.closed));
  }

  /** Rows of keys without a prefix were written by instances of the previous version. There are few or none. */
  async findByKeyPrefix(prefix: string): Promise<readonly Account[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly Row[] }>(
        `select body from account where id in (
           select account_id from api_key where prefix = ?
           union
           select account.id
           from api_key join account on account.id = api_key.account_id,
             json_array_elements(account.body -> 'keys') as kept (key)
           where api_key.prefix is null and kept.key ->> 'prefix' = ?
         ) order by id limit ${FOUND_MAX}`,
        [prefix, prefix],
      ),
    );
    return rows.map(({ body }) => accountOf(body));
  }

  async auditOf(id: AccountId): Promise<readonly AuditEntry[]> {
    const rows = await withErrorMapping<readonly { entry: AuditEntry }[]>(() =>
      this.#db('audit').where({ account_id: id }).orderBy('n').select('entry'),
    );
    return rows.map(({ entry }) => entry);
  }

  /**
   * The claim of a killed instance expires after `CLAIM_DURATION`. The rows are chosen once: where a join chooses them again for
   * each of its rows, it claims more than `count`.
   */
  async claimDue(now: Moment, count: number): Promise<readonly AccountId[]> {
    const { rows } = await withErrorMapping(() =>
      this.#db.raw<{ rows: readonly { id: AccountId }[] }>(
        `with due as materialized (
           select id from account
           where due_at <= ${BOUNDED_NOW} and (claimed_until is null or claimed_until < clock_timestamp())
           order by due_at limit ? for update skip locked
         ), claimed as (
           update account set claimed_until = clock_timestamp() + interval '${CLAIM_DURATION}'
           from due where account.id = due.id
           returning account.id, account.due_at
         ) select id from claimed order by due_at`,
        [now, count],
      ),
    );
    return rows.map(({ id }) => id);
  }

  async postponeDue(id: AccountId, until: Moment): Promise<void> {
    await withErrorMapping(() =>
      this.#db('account').where({ id }).whereNotNull('due_at').update({ due_at: until, claimed_until: null }),
    );
  }

  async isAnyDue(now: Moment): Promise<boolean> {
    const due = await withErrorMapping(() =>
      this.#db('account').whereRaw(`due_at <= ${BOUNDED_NOW}`, [now]).first('id'),
    );
    return due !== undefined;
  }

  async #first(filter: (db: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<Account | null> {
    const row = await withErrorMapping<Row | undefined>(() => filter(this.#db('account')).first('body'));
    return row === undefined ? null : accountOf(row.body);
  }
}
