import type { AccountDeletions } from '../../application/ports/accounts/account-deletions.js';
import type { Invalidations } from '../../application/ports/invalidations.js';
import { isRefusal } from '../../domain/refusal.js';

/** Sends an invalidation for the keys of a deleted account (D39). */
export function invalidatingAccountDeletions(
  deletions: AccountDeletions,
  invalidations: Invalidations,
): AccountDeletions {
  return {
    delete: async (id, now, decide) => {
      const answer = await deletions.delete(id, now, decide);
      if (!isRefusal(answer)) {
        await invalidations.send({ changed: 'account', keys: answer.keys.map(({ hash }) => hash) });
      }
      return answer;
    },
  };
}
