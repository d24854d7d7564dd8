import type { Knex } from 'knex';
import type { Accounts } from '../../application/ports/accounts.js';
import { type Account, type AccountId, type AuditEntry, type Change, nextDue } from '../../domain/account.js';
import type { KeyId } from '../../domain/api-key.js';
import type { Moment } from '../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import { isStorable } from './storable.js';
import { answered } from './unavailable-database.js';

type Row = { readonly body: Account };

const UNIQUE_VIOLATION = '23505';

/** Accounts in Postgres. The row of an account is its lock: who decides on it waits for who decided before. */
export class PostgresAccounts implements Accounts {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  async open(opening: Change): Promise<Account | Refusal> {
    const { next, entries } = opening;
    if (!isStorable(next.email) || !isStorable(next.processorCustomerId ?? '')) {
      throw new TypeError('an e-mail address or customer id has U+0000, which Postgres cannot store');
    }
    try {
      return await answered(() =>
        this.#db.transaction(async (tx) => {
          await tx('account').insert({ id: next.id, ...columns(next) });
          await store(tx, next, [], entries);
          return next;
        }),
      );
    } catch (fault) {
      if ((fault as { readonly code?: string }).code === UNIQUE_VIOLATION) return refuse('account_exists');
      throw fault;
    }
  }

  async change(id: AccountId, decide: (account: Account) => Change | Refusal): Promise<Account | Refusal> {
    if (!isStorable(id)) return { refused: 'not_found', what: 'account' };
    return answered(() =>
      this.#db.transaction(async (tx) => {
        const row: Row | undefined = await tx('account').where({ id }).forUpdate().first('body');
        if (row === undefined) return { refused: 'not_found', what: 'account' };
        const change = decide(row.body);
        if (isRefusal(change)) return change;
        const { next, entries } = change;
        if (next === row.body && entries.length === 0) return next;
        await tx('account').where({ id }).update(columns(next));
        await store(tx, next, row.body.keys, entries);
        return next;
      }),
    );
  }

  find(id: AccountId): Promise<Account | null> {
    return this.#first(id, (db) => db.where({ id }));
  }

  findByEmail(email: string): Promise<Account | null> {
    return this.#first(email, (db) => db.where({ email: email.toLowerCase() }));
  }

  findByKey(key: KeyId): Promise<Account | null> {
    return this.#first(key, (db) =>
      db.where('id', this.#db('api_key').where({ id: key }).select('account_id')),
    );
  }

  async auditOf(id: AccountId): Promise<readonly AuditEntry[]> {
    if (!isStorable(id)) return [];
    const rows = await answered<readonly { entry: AuditEntry }[]>(() =>
      this.#db('audit').where({ account_id: id }).orderBy('n').select('entry'),
    );
    return rows.map(({ entry }) => entry);
  }

  async due(now: Moment, count: number): Promise<readonly AccountId[]> {
    const rows = await answered<readonly { id: AccountId }[]>(() =>
      this.#db('account').where('due_at', '<=', now).orderBy('due_at').limit(count).select('id'),
    );
    return rows.map(({ id }) => id);
  }

  async #first(
    asked: string,
    narrowed: (db: Knex.QueryBuilder) => Knex.QueryBuilder,
  ): Promise<Account | null> {
    if (!isStorable(asked)) return null;
    const row = await answered<Row | undefined>(() => narrowed(this.#db('account')).first('body'));
    return row?.body ?? null;
  }
}

const columns = (account: Account) => ({
  email: account.email,
  processor_customer_id: account.processorCustomerId,
  body: JSON.stringify(account),
  due_at: nextDue(account),
});

/** What belongs to an account beside its row, in the same transaction (D25). */
async function store(
  tx: Knex.Transaction,
  next: Account,
  keysBefore: Account['keys'],
  entries: readonly AuditEntry[],
): Promise<void> {
  const known = new Set(keysBefore.map(({ id }) => id));
  const fresh = next.keys.filter(({ id }) => !known.has(id));
  if (fresh.length > 0) {
    await tx('api_key').insert(fresh.map(({ id, hash }) => ({ id, hash, account_id: next.id })));
  }
  if (entries.length > 0) {
    await tx('audit').insert(entries.map((entry) => ({ account_id: next.id, entry: JSON.stringify(entry) })));
  }
}
