import type { Knex } from 'knex';
import { CHANGE_LOG_FUNCTIONS, defineFunctions, type LogFunction } from './2026-11-26-change-logs.js';
import { withShortLocks } from './with-short-locks.js';

/** An older version finds no closed key: it answers 401 for it all the same, as for a key that does not exist. */
export const oldestVersion = '0.1.0';

/** Not in one transaction: each step holds its locks only for its own few milliseconds. */
export const config = { transaction: false };

export async function up(db: Knex): Promise<void> {
  await withShortLocks(db, async (tx) => {
    await tx.raw('alter table api_key add column if not exists closed json');
    await tx.raw("comment on column api_key.closed is 'null: the account lists the key'");
  });
  await withShortLocks(db, (tx) => defineFunctions(tx, NAMING_CHANGED_KEYS));
}

/** The accounts list all their keys again. */
export async function down(db: Knex): Promise<void> {
  await withShortLocks(db, (tx) => defineFunctions(tx, CHANGE_LOG_FUNCTIONS));
  await withShortLocks(db, async (tx) => {
    await tx.raw(
      `update account set body = (
         (body::jsonb - 'closedKeys') || jsonb_build_object('keys', closed.keys || (body::jsonb -> 'keys'))
       )::json
       from (
         select account_id, jsonb_agg(closed::jsonb order by closed ->> 'issuedAt') as keys
         from api_key where closed is not null group by account_id
       ) as closed
       where account.id = closed.account_id`,
    );
    await tx.raw('alter table api_key drop column if exists closed');
  });
}

/**
 * The functions of the log of accounts, so that a change has the hashes of the keys that it concerns, and no longer those of
 * all keys of the account.
 */
const NAMING_CHANGED_KEYS: readonly LogFunction[] = [
  [
    'log_account_change(changed text, more text[])',
    'void',
    `begin
       if exists (
         select from account_change
         where account_id = changed and xmin = pg_current_xact_id()::xid and hashes @> more
       ) then return; end if;
       perform from account_change_lock where is_only_row for update;
       insert into account_change (n, account_id, hashes)
       select max(n) + 1, changed, more from account_change;
     end`,
  ],
  [
    'log_account()',
    'trigger',
    // A change of the subscription concerns every key that the account lists; of a closed key it changes nothing. The type
    // json has no equality, so the texts are compared. A body that Postgres cannot take apart counts as changed.
    `declare
       found text[];
     begin
       if tg_op = 'DELETE' then
         perform log_account_change(old.id, '{}');
         return null;
       end if;
       if tg_op = 'UPDATE' then
         begin
           if (old.body -> 'subscription')::text is not distinct from (new.body -> 'subscription')::text then
             if (old.body -> 'keys')::text is not distinct from (new.body -> 'keys')::text then return null; end if;
             found := array(
               select distinct key::json ->> 'hash' from (
                 select kept.key::text as key
                 from unnest(array[old.body, new.body]) as side (body), json_array_elements(body -> 'keys') as kept (key)
                 group by 1 having count(*) = 1
               ) as differing
               where key::json ->> 'hash' is not null order by 1
             );
           end if;
         exception when others then null;
         end;
       end if;
       if found is null then
         found := array(select hash from api_key where account_id = new.id and closed is null order by 1);
       end if;
       perform log_account_change(new.id, found);
       return null;
     end`,
  ],
];
