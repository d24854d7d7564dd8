import type { Account, Change } from '../../domain/accounts/account.js';
import { applyDueAndDecide } from '../../domain/accounts/account-due.js';
import { keyOf } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Moment } from '../../domain/moment.js';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.js';
import type { Accounts } from '../ports/accounts/accounts.js';

/**
 * Changes the account that has this key. A key never moves to another account, so the search for the account needs no
 * lock.
 */
export async function changeByKey(
  accounts: Accounts,
  key: KeyId,
  now: Moment,
  decide: (account: Account) => Change | Refusal,
): Promise<Account | Refusal> {
  const holder = await accounts.findByKey(key);
  if (holder === null) return { refused: 'not_found', what: 'key' };
  return accounts.change(holder.id, (found) =>
    // A key that the account no longer lists is revoked for ever (`listed-keys.ts`).
    isRefusal(keyOf(found, key)) ? refuse('key_revoked') : applyDueAndDecide(found, now, decide),
  );
}
