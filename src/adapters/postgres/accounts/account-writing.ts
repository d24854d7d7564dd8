import type { Knex } from 'knex';
import type { Account, Change } from '../../../domain/accounts/account.js';
import { nextDue } from '../../../domain/accounts/account-due.js';
import { noticesOf } from '../../../domain/accounts/notice.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { closedKeys } from '../../../domain/keys/listed-keys.js';
import { bodyOf, bodyOfKey } from './account-body.js';

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

const UPDATE = `
update account
set email = :email, processor_customer_id = :processor_customer_id, body = :body, due_at = :due_at,
  claimed_until = :claimed_until
where id = :account`;

/** New keys, audit entries (D25) and notices of a change. */
const RELATED_ROWS = `
keys as (
  insert into api_key (id, hash, prefix, account_id)
  select id, hash, prefix, :account from json_to_recordset(:keys) as fresh (id text, hash text, prefix text)
), audited as (
  insert into audit (account_id, entry)
  select :account, entry from json_array_elements(:entries) with ordinality as entries (entry, n) order by n
)
insert into notice (account_id, occasion, notice, due_at)
select :account, notice ->> 'occasion', notice, :noticed_at
from json_array_elements(:notices) with ordinality as notices (notice, n)
order by n on conflict do nothing`;

/**
 * Writes the change of a locked account with its keys, audit entries and notices. An empty change only clears the claim.
 *
 * It is one statement, because a second one would be a round trip during which the account is locked. It is written out,
 * because the query builder takes as long as the rest of a statement in this process.
 */
export async function writeChange(tx: Knex.Transaction, before: Account, change: Change): Promise<void> {
  const { next, entries } = change;
  if (next === before && entries.length === 0) {
    await tx('account').where({ id: next.id }).whereNotNull('claimed_until').update({ claimed_until: null });
    return;
  }
  const written = { account: next.id, ...columns(next) };
  const related = relatedRows(before, change);
  if (related === null) await tx.raw(UPDATE, written);
  else await tx.raw(`with changed as (${UPDATE}), ${RELATED_ROWS}`, { ...written, ...related });
  await storeClosedKeys(tx, closedKeys(before.keys, next.keys));
}

/** The last states of keys that the account no longer lists. Most changes have none. */
async function storeClosedKeys(tx: Knex.Transaction, keys: readonly ApiKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.raw(
    `update api_key set closed = last.key
     from json_array_elements(?) as last (key) where api_key.id = last.key ->> 'id'`,
    [JSON.stringify(keys.map(bodyOfKey))],
  );
}

/** Inserts the rows of a new account in other tables, in the same transaction. */
export async function insertRelatedRows(tx: Knex.Transaction, opening: Change): Promise<void> {
  const related = relatedRows(null, opening);
  if (related !== null) await tx.raw(`with ${RELATED_ROWS}`, { account: opening.next.id, ...related });
}

/** Null if the change has none. */
function relatedRows(before: Account | null, change: Change) {
  const { next, entries } = change;
  const known = new Set(before?.keys.map(({ id }) => id));
  const fresh = next.keys.filter(({ id }) => !known.has(id));
  const notices = noticesOf(before, change);
  if (fresh.length === 0 && entries.length === 0 && notices.length === 0) return null;
  return {
    keys: JSON.stringify(fresh.map(({ id, hash, prefix }) => ({ id, hash, prefix }))),
    entries: JSON.stringify(entries),
    noticed_at: entries.at(-1)?.at ?? next.openedAt,
    notices: JSON.stringify(notices),
  };
}
