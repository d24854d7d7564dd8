import type { Accounts } from '../../application/ports/accounts/accounts.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import type { Account, AccountId, Change } from '../../domain/accounts/account.js';
import { isRefusal, type Refusal } from '../../domain/refusal.js';

/** Sends an invalidation for the keys of an account after each stored change (D39). */
export function invalidatingAccounts(accounts: Accounts, invalidations: Invalidations): Accounts {
  const announce = async (answer: Account | Refusal): Promise<Account | Refusal> => {
    if (!isRefusal(answer)) {
      await invalidations.send({ changed: 'account', keys: answer.keys.map(({ hash }) => hash) });
    }
    return answer;
  };
  return {
    open: (opening: Change) => accounts.open(opening),
    change: async (id: AccountId, decide) => announce(await accounts.change(id, decide)),
    find: (id) => accounts.find(id),
    findAll: (ids) => accounts.findAll(ids),
    findByEmail: (email) => accounts.findByEmail(email),
    findByKey: (key) => accounts.findByKey(key),
    findByKeyPrefix: (prefix) => accounts.findByKeyPrefix(prefix),
    auditOf: (id) => accounts.auditOf(id),
    claimDue: (now, count) => accounts.claimDue(now, count),
    postponeDue: (id, until) => accounts.postponeDue(id, until),
    isAnyDue: (now) => accounts.isAnyDue(now),
  };
}
