import type { Knex } from 'knex';
import { withShortLocks } from './with-short-locks.js';

export const oldestVersion = '0.1.0';

/** Not in one transaction, so that each lock ends with its statement. Each statement can be repeated. */
export const config = { transaction: false };

/** The indexes by which the payment events of a deleted account are found (`payload-deletion.ts`). */
const INDEXES: Readonly<Record<string, string>> = {
  payment_event_customer: 'payment_event (customer)',
  payment_event_links_to: 'payment_event (links_to) where links_to is not null',
  payment_event_without_customer: 'payment_event (id) where customer is null',
};

export async function up(db: Knex): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES)) {
    await withShortLocks(db, (tx) => tx.raw(`create index if not exists ${name} on ${on}`));
  }
}

export async function down(db: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES))
    await withShortLocks(db, (tx) => tx.raw(`drop index if exists ${name}`));
}
