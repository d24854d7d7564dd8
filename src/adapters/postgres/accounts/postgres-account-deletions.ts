import type { Knex } from 'knex';
import type {
  AccountDeletions,
  DecideDeletion,
} from '../../../application/ports/accounts/account-deletions.js';
import type { Account, AccountId, AuditEntry } from '../../../domain/accounts/account.js';
import { withoutReason } from '../../../domain/accounts/account-deletion.js';
import type { Moment } from '../../../domain/moment.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { deletePayloads } from '../billing/payload-deletion.js';
import { unappliedEvents } from '../billing/postgres-payment-inbox.js';
import { removeDestinationsOf } from '../destinations/postgres-destinations.js';
import { deleteSandboxKey } from '../keys/postgres-sandbox-keys.js';
import { deleteRequestsOf } from '../limits/postgres-request-logs.js';
import { deleteLinks } from '../sign-in/postgres-one-time-tokens.js';
import { deleteSessions } from '../sign-in/postgres-sessions.js';
import { withErrorMapping } from '../unavailable-database.js';
import { type AccountBody, accountOf } from './account-body.js';
import { columns } from './account-writing.js';

/**
 * Deletes accounts in Postgres. The row of the account is locked first, like in every transaction that stores personal data
 * of an account.
 */
export class PostgresAccountDeletions implements AccountDeletions {
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  delete(id: AccountId, now: Moment, decide: DecideDeletion): Promise<Account | Refusal> {
    return withErrorMapping(() =>
      this.#db.transaction(async (tx): Promise<Account | Refusal> => {
        const row: { readonly body: AccountBody } | undefined = await tx('account')
          .where({ id })
          .forUpdate()
          .first('body');
        if (row === undefined) return { refused: 'not_found', what: 'account' };
        const before = accountOf(row.body);
        const change = decide(before, await unappliedEvents(tx, before));
        if (isRefusal(change)) return change;
        await tx('account').where({ id }).update(columns(change.next));
        await writeAudit(tx, id, change.entries);
        for (const table of ['notice', 'identity']) await tx(table).where({ account_id: id }).delete();
        await removeDestinationsOf(tx, id);
        await deleteSandboxKey(tx, id);
        await deleteRequestsOf(tx, id);
        await deleteSessions(tx, { kind: 'account', account: id });
        await deleteLinks(tx, before.email);
        await deletePayloads(tx, change.next, now);
        return change.next;
      }),
    );
  }
}

/**
 * Removes the reasons of the stored entries and adds the new ones without reasons. The JSON is changed here, because
 * Postgres cannot change a JSON text with U+0000.
 */
async function writeAudit(tx: Knex.Transaction, id: AccountId, added: readonly AuditEntry[]): Promise<void> {
  const stored: readonly { readonly n: number; readonly entry: AuditEntry }[] = await tx('audit')
    .where({ account_id: id })
    .select('n', 'entry');
  const changed = stored.filter(({ entry }) => entry.reason !== null);
  await tx.raw(
    `update audit set entry = changed.entry::json
     from unnest(?::bigint[], ?::text[]) as changed (n, entry) where audit.n = changed.n`,
    [changed.map(({ n }) => n), changed.map(({ entry }) => JSON.stringify(withoutReason(entry)))],
  );
  for (const entry of added) {
    await tx('audit').insert({ account_id: id, entry: JSON.stringify(withoutReason(entry)) });
  }
}
