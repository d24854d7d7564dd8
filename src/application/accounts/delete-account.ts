import type { Account, AccountId } from '../../domain/accounts/account.js';
import { deleteAccount as deleting, isDeleted } from '../../domain/accounts/account-deletion.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import type { Refusal } from '../../domain/refusal.js';
import type { AccountDeletions } from '../ports/accounts/account-deletions.js';
import type { Clock } from '../ports/clock.js';

/**
 * Deletes an account with its personal data (`domain/accounts/account-deletion.ts`). The audit log keeps no reason of the
 * deletion, because it could contain personal data. Deleting a deleted account again succeeds.
 */
export const deleteAccount = (parts: {
  readonly accountDeletions: AccountDeletions;
  readonly clock: Clock;
}) =>
  function deleteAccount(id: AccountId, actor: string): Promise<Account | Refusal> {
    const context = { actor, at: parts.clock() };
    return parts.accountDeletions.delete(id, context.at, (found, unapplied) =>
      isDeleted(found)
        ? deleting(found, unapplied, context)
        : applyDueAndDecide(found, context.at, (account) => deleting(account, unapplied, context)),
    );
  };

export type DeleteAccount = ReturnType<typeof deleteAccount>;
