import type { Knex } from 'knex';
import type { Account } from '../../../domain/accounts/account.js';
import type { Moment } from '../../../domain/moment.js';

/** Few, because each payload is read and may have 256 KB. */
const PAYLOADS_PER_READ = 200;

/** An event without its payload is not replayed: its work counts as done. */
const DELETE_PAYLOAD = `update payment_event set payload = '', fault = null, settled_at = coalesce(settled_at, ?),
  state = case when state in ('waiting', 'failed') then 'ignored' else state end`;

/** Deletes the payloads of all events of an account and of its customer, and of events that only name the account. */
export async function deletePayloads(tx: Knex.Transaction, account: Account, now: Moment): Promise<void> {
  const { id, processorCustomerId: customer } = account;
  // The fault of a refused checkout names the account.
  await tx.raw(
    `${DELETE_PAYLOAD} where payload <> '' and (account_id = ? or (account_id is null and (
       customer = ? or links_to = ? or (state = 'failed' and strpos(fault, ?) > 0)
     )))`,
    [now, id, customer, id, id],
  );
  if (customer === null) return;
  for (let last: string | null = ''; last !== null; ) last = await deleteNaming(tx, customer, now, last);
}

/**
 * Deletes the payloads that name the customer, in one range of the events whose column `customer` is empty: 0.2.0 does not
 * fill it for events that are not used, nor can it be filled for unreadable events. Returns the last id of the range; null
 * if there are no more.
 */
async function deleteNaming(
  tx: Knex.Transaction,
  customer: string,
  now: Moment,
  after: string,
): Promise<string | null> {
  const { rows } = await tx.raw<{ rows: readonly { readonly last: string | null }[] }>(
    `with events as (
       select id, payload from payment_event where customer is null and id > ? order by id limit ${PAYLOADS_PER_READ}
     ), deleted as (
       ${DELETE_PAYLOAD} where id in (select id from events where position(convert_to(?, 'UTF8') in payload) > 0)
     )
     select max(id) as last from events`,
    [after, now, customer],
  );
  return rows[0]?.last ?? null;
}
