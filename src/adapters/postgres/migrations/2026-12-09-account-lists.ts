import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Large indexes are built concurrently, which no transaction can. */
export const config = { transaction: false };

/**
 * A text in a JSON value; null if Postgres cannot take the value apart. Without it, a row with the escape of the character 0 could not
 * be written, because `->>` fails for it.
 */
const JSON_TEXT = `
  create or replace function json_text(value json, path text[]) returns text
  language sql immutable parallel safe as $$
    select case when strpos(value::text, '\\u0000') > 0 then null else value #>> path end
  $$`;

/** For the searches and lists of the console. `postgres-account-lists.ts` has the same expressions. */
const INDEXES = [
  { name: 'account_email_beginning', table: 'account', definition: '(email text_pattern_ops)' },
  {
    name: 'account_email_domain',
    table: 'account',
    definition: "(split_part(email, '@', 2) text_pattern_ops, email text_pattern_ops)",
  },
  { name: 'account_subscription', table: 'account', definition: "(json_text(body, '{subscription,id}'))" },
  {
    name: 'account_opened',
    table: 'account',
    definition: "(json_text(body, '{openedAt}') desc nulls last, id desc) where email like '%@%'",
  },
  {
    name: 'account_blocked',
    table: 'account',
    definition: `(id) where json_text(body, '{subscription,state}') in ('incomplete', 'paused', 'unpaid')
      or (json_text(body, '{subscription,state}') in ('trialing', 'active')
        and json_text(body, '{subscription,standing,status}') = 'suspended')`,
  },
  {
    name: 'account_abuse',
    table: 'account',
    definition: `(id) where json_text(body, '{subscription,standing,causes}') like '%"abuse"%'`,
  },
  {
    name: 'payment_event_invoice',
    table: 'payment_event',
    definition: "(json_text(fact, '{invoice}')) where fact is not null",
  },
  {
    name: 'payment_event_subscription',
    table: 'payment_event',
    definition: "(json_text(fact, '{subscription}')) where fact is not null",
  },
] as const;

export async function up(db: Knex): Promise<void> {
  await db.raw(JSON_TEXT);
  for (const index of INDEXES) await createIndex(db, index);
}

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    for (const { name } of INDEXES) await tx.raw(`drop index if exists ${name}`);
    await tx.raw('drop function if exists json_text(json, text[])');
  });
