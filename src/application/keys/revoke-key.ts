import type { Reason } from '../../domain/accounts/reason.js';
import { revokeKey as revoking } from '../../domain/keys/account-keys.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Accounts } from '../ports/accounts/accounts.js';
import type { Clock } from '../ports/clock.js';
import { changeByKey } from './change-by-key.js';

/** Retires a key that has a replacement (`rotation`), or revokes it at once (contract section 5.4, D23). */
export const revokeKey = ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) =>
  function revokeKey(id: KeyId, cause: 'rotation' | 'manual', reason: Reason | null, actor: string) {
    const context = { actor, reason, at: clock() };
    return changeByKey(accounts, id, context.at, (account) => revoking(account, id, cause, context));
  };

export type RevokeKey = ReturnType<typeof revokeKey>;
