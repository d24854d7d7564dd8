import type { Knex } from 'knex';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction: each step holds its locks only for its own few milliseconds. */
export const config = { transaction: false };

/** 8 random bytes. The bytes of a version 4 UUID are random but for two of those between the 6th and the 15th. */
const RANDOM_MARK =
  'substring(uuid_send(gen_random_uuid()) from 1 for 6) || substring(uuid_send(gen_random_uuid()) from 15)';

export async function up(db: Knex): Promise<void> {
  await withShortLocks(db, feedLog);
  await withShortLocks(db, accountLog);
  await withShortLocks(db, (tx) => defineFunctions(tx, CHANGE_LOG_FUNCTIONS));
  await withShortLocks(db, (tx) => trigger(tx, 'account', 'body', 'log_account()'));
  await withShortLocks(db, (tx) => trigger(tx, 'api_key', 'hash, account_id', 'log_api_key()'));
}

export async function down(db: Knex): Promise<void> {
  // One table at a time: a key look-up locks both, in another order.
  for (const table of ['account', 'api_key'])
    await withShortLocks(db, async (tx) => {
      await tx.raw('drop trigger if exists ?? on ??', [`${table}_logged`, table]);
    });
  await withShortLocks(db, async (tx) => {
    for (const name of ['log_account()', 'log_api_key()', 'log_account_change(text, text[])'])
      await tx.raw(`drop function if exists ${name}`);
    await tx.raw('drop table if exists account_change, account_change_lock');
    await tx.raw('alter table item drop column if exists n');
    await tx.raw("delete from feed_change where kind = 'start'");
    await tx.raw(
      'alter table feed_change drop column if exists mark, drop column if exists kind, drop column if exists at',
    );
  });
}

/**
 * Adds columns without a default first: a volatile default on a new column rewrites the table. Rows of the previous
 * version get mark and time by the default; their null `kind` means that they are a retraction or a replacement.
 */
async function feedLog(tx: Knex.Transaction): Promise<void> {
  // The lock of the writers of the feed, so that no row is added between these statements.
  await tx.raw("select pg_advisory_xact_lock(hashtextextended('oddswire feed ' || current_schema(), 0))");
  await tx.raw(
    `alter table feed_change add column if not exists mark bytea, add column if not exists kind text,
       add column if not exists at timestamptz`,
  );
  await tx.raw(
    `alter table feed_change alter column mark set default ${RANDOM_MARK},
       alter column at set default clock_timestamp()`,
  );
  await tx.raw('alter table item add column if not exists n bigint');
  // The log is never empty, so that a reader can name the change that it has applied last.
  await tx.raw(
    "insert into feed_change (n, item_id, kind) select 0, '', 'start' where not exists (select from feed_change)",
  );
  await tx.raw(
    `update feed_change set mark = ${RANDOM_MARK}, at = clock_timestamp()
     where mark is null and n = (select max(n) from feed_change)`,
  );
}

async function accountLog(tx: Knex.Transaction): Promise<void> {
  await tx.raw(
    `create table if not exists account_change (
       n bigint primary key,
       mark bytea not null default ${RANDOM_MARK},
       account_id text,
       hashes text[] not null,
       at timestamptz not null default clock_timestamp()
     )`,
  );
  await tx.raw('create index if not exists account_change_account on account_change (account_id)');
  await tx.raw("comment on column account_change.account_id is 'null: any account may have changed'");
  await tx.raw(
    'create table if not exists account_change_lock (is_only_row boolean primary key default true check (is_only_row))',
  );
  await tx.raw('insert into account_change_lock default values on conflict do nothing');
  await tx.raw("insert into account_change (n, hashes) values (0, '{}') on conflict do nothing");
}

/**
 * Deferred constraint triggers log a change when its transaction commits, whoever writes it: this version, the previous
 * one, or an operator with SQL. A number is taken under a row lock that ends when the commit is durable, so numbers are
 * without gaps and become visible in their order; an identity column would commit out of order (T16). Nothing is locked
 * after it, so it causes no deadlock. The row is locked, not updated: an update for each account of a large transaction
 * would leave as many dead versions of it.
 */
export async function defineFunctions(
  tx: Knex.Transaction,
  functions: readonly LogFunction[],
): Promise<void> {
  const { rows } = await tx.raw<{ rows: readonly { readonly name: string }[] }>(
    'select quote_ident(current_schema()) as name',
  );
  // Plans of a function are kept, also those made while the log was nearly empty: without indexes they would be slow later.
  const options = `language plpgsql security definer
    set search_path = ${rows[0]?.name}, pg_temp set enable_seqscan = off set jit = off`;
  for (const [name, returns, body] of functions)
    await tx.raw(`create or replace function ${name} returns ${returns} ${options} as $$ ${body} $$`);
  await tx.raw('revoke execute on function log_account_change(text, text[]) from public');
}

async function trigger(tx: Knex.Transaction, table: string, columns: string, call: string): Promise<void> {
  await tx.raw(`drop trigger if exists ${table}_logged on ${table}`);
  await tx.raw(
    `create constraint trigger ${table}_logged after insert or delete or update of ${columns} on ${table}
     deferrable initially deferred for each row execute function ${call}`,
  );
}

export type LogFunction = readonly [name: string, returns: string, body: string];

export const CHANGE_LOG_FUNCTIONS: readonly LogFunction[] = [
  [
    'log_account_change(changed text, more text[])',
    'void',
    // One row for each account and transaction, unless the transaction also removes keys: their hashes must be in a row.
    `declare
       found text[] := array(select hash from api_key where account_id = changed union select unnest(more) order by 1);
     begin
       if exists (
         select from account_change
         where account_id = changed and xmin = pg_current_xact_id()::xid and hashes @> found
       ) then return; end if;
       perform from account_change_lock where is_only_row for update;
       insert into account_change (n, account_id, hashes)
       select max(n) + 1, changed, found from account_change;
     end`,
  ],
  [
    'log_account()',
    'trigger',
    // Copies need only the keys and the subscription. The type json has no equality, so the texts are compared. A body
    // that Postgres cannot take apart counts as changed.
    `begin
       if tg_op = 'DELETE' then
         perform log_account_change(old.id, '{}');
         return null;
       end if;
       if tg_op = 'UPDATE' then
         begin
           if (old.body -> 'keys')::text is not distinct from (new.body -> 'keys')::text
             and (old.body -> 'subscription')::text is not distinct from (new.body -> 'subscription')::text
           then return null; end if;
         exception when others then null;
         end;
       end if;
       perform log_account_change(new.id, '{}');
       return null;
     end`,
  ],
  [
    'log_api_key()',
    'trigger',
    `begin
       if tg_op <> 'INSERT' then perform log_account_change(old.account_id, array[old.hash]); end if;
       if tg_op <> 'DELETE' then perform log_account_change(new.account_id, array[new.hash]); end if;
       return null;
     end`,
  ],
];
