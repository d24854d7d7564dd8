import type { Knex } from 'knex';
import { createIndex } from './concurrent-index.js';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Large indexes are built concurrently, which no transaction can. */
export const config = { transaction: false };

/** For the searches and lists of the console. `postgres-account-lists.ts` has the same expressions. */
const INDEXES = [
  { name: 'account_email_beginning', table: 'account', definition: '(email text_pattern_ops)' },
  {
    name: 'account_email_domain',
    table: 'account',
    definition: "(split_part(email, '@', 2) text_pattern_ops)",
  },
  { name: 'account_subscription', table: 'account', definition: "((body -> 'subscription' ->> 'id'))" },
  {
    name: 'account_opened',
    table: 'account',
    definition: "((body ->> 'openedAt'), id) where email like '%@%'",
  },
  {
    name: 'account_blocked',
    table: 'account',
    definition: `(id) where body -> 'subscription' ->> 'state' in ('incomplete', 'paused', 'unpaid')
      or (body -> 'subscription' ->> 'state' in ('trialing', 'active')
        and body -> 'subscription' -> 'standing' ->> 'status' = 'suspended')`,
  },
  {
    name: 'account_abuse',
    table: 'account',
    definition: `(id) where body -> 'subscription' -> 'standing' ->> 'causes' like '%"abuse"%'`,
  },
  {
    name: 'payment_event_invoice',
    table: 'payment_event',
    definition: "((fact ->> 'invoice')) where fact is not null",
  },
  {
    name: 'payment_event_subscription',
    table: 'payment_event',
    definition: "((fact ->> 'subscription')) where fact is not null",
  },
] as const;

export async function up(db: Knex): Promise<void> {
  for (const index of INDEXES) await createIndex(db, index);
}

export const down = (db: Knex): Promise<void> =>
  withShortLocks(db, async (tx) => {
    for (const { name } of INDEXES) await tx.raw(`drop index if exists ${name}`);
  });
