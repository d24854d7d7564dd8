import type { Knex } from 'knex';
import type { Account, Change } from '../../../domain/accounts/account.js';
import { nextDue } from '../../../domain/accounts/account-due.js';
import { noticesOf } from '../../../domain/accounts/notice.js';
import { bodyOf } from './account-body.js';

const UNIQUE_VIOLATION = '23505';

/** Whether a write failed because another account has the same unique value, such as the email address (D42). */
export const isTaken = (fault: unknown): boolean =>
  (fault as { readonly code?: string } | null)?.code === UNIQUE_VIOLATION;

/** The row of an account. Every write clears the claim, because the writer has just done all due work. */
export const columns = (account: Account) => ({
  email: account.email,
  processor_customer_id: account.processorCustomerId,
  body: JSON.stringify(bodyOf(account)),
  due_at: nextDue(account),
  claimed_until: null,
});

/** Writes the change of a locked account with its keys, audit entries and notices. An empty change only clears the claim. */
export async function writeChange(tx: Knex.Transaction, before: Account, change: Change): Promise<void> {
  const { next, entries } = change;
  if (next === before && entries.length === 0) {
    await tx('account').where({ id: next.id }).whereNotNull('claimed_until').update({ claimed_until: null });
    return;
  }
  await tx('account').where({ id: next.id }).update(columns(next));
  await insertRelatedRows(tx, before, change);
}

/** Inserts the rows of a change in other tables, in the same transaction: new keys, audit entries (D25) and notices. */
export async function insertRelatedRows(
  tx: Knex.Transaction,
  before: Account | null,
  change: Change,
): Promise<void> {
  const { next, entries } = change;
  const known = new Set(before?.keys.map(({ id }) => id));
  const fresh = next.keys.filter(({ id }) => !known.has(id));
  const notices = noticesOf(before, change);
  if (fresh.length === 0 && entries.length === 0 && notices.length === 0) return;
  await tx.raw(
    `with keys as (
       insert into api_key (id, hash, prefix, account_id)
       select id, hash, prefix, ? from json_to_recordset(?) as fresh (id text, hash text, prefix text)
     ), audited as (
       insert into audit (account_id, entry)
       select ?, entry from json_array_elements(?) with ordinality as entries (entry, n) order by n
     )
     insert into notice (account_id, occasion, notice, due_at)
     select ?, notice ->> 'occasion', notice, ? from json_array_elements(?) with ordinality as notices (notice, n)
     order by n on conflict do nothing`,
    [
      next.id,
      JSON.stringify(fresh.map(({ id, hash, prefix }) => ({ id, hash, prefix }))),
      next.id,
      JSON.stringify(entries),
      next.id,
      entries.at(-1)?.at ?? next.openedAt,
      JSON.stringify(notices),
    ],
  );
}
