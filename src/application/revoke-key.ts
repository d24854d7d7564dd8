import { revokeKey as revoking } from '../domain/account.js';
import type { KeyId } from '../domain/api-key.js';
import type { Reason } from '../domain/reason.js';
import { changeKeyHolder } from './change-key-holder.js';
import type { Accounts } from './ports/accounts.js';
import type { Clock } from './ports/clock.js';

/** Retires a key that has a replacement (`rotation`), or revokes it at once (section 5.4, D23). */
export const revokeKey =
  ({ accounts, clock }: { readonly accounts: Accounts; readonly clock: Clock }) =>
  (id: KeyId, cause: 'rotation' | 'manual', reason: Reason | null, actor: string) => {
    const act = { actor, reason, at: clock() };
    return changeKeyHolder(accounts, id, act.at, (account) => revoking(account, id, cause, act));
  };

export type RevokeKey = ReturnType<typeof revokeKey>;
