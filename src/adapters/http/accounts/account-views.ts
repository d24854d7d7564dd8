import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { KeyUses } from '../../../application/ports/keys/key-uses.js';
import type { Account } from '../../../domain/accounts/account.js';
import { keyOf } from '../../../domain/keys/account-keys.js';
import type { ApiKey, KeyId } from '../../../domain/keys/api-key.js';
import { isRefusal, type Refusal } from '../../../domain/refusal.js';
import { answerRefusal } from '../answer/problem.js';
import type { Context } from '../state.js';
import { accountJson, auditJson, concerns, keyJson, type Uses } from './account-json.js';

/** Statuses that replace those of `problem.ts`. The key is the resource of these requests, not their credential. */
export const STATUSES = { key_revoked: 409 } as const;

/** Answers with the current state of an account or key, with its audit log and last use. */
export const accountViews = (parts: {
  readonly accounts: Accounts;
  readonly keyUses: KeyUses;
  readonly clock: Clock;
}) => {
  const { accounts, keyUses, clock } = parts;

  const usesOf = (keys: readonly ApiKey[]): Promise<Uses> => keyUses.of(keys.map(({ id }) => id));

  return {
    async account(ctx: Context, answer: Account | Refusal | null, status = 200): Promise<void> {
      if (answer === null) return answerRefusal(ctx, { refused: 'not_found', what: 'account' });
      if (isRefusal(answer)) return answerRefusal(ctx, answer, STATUSES);
      const audit = await accounts.auditOf(answer.id);
      ctx.status = status;
      ctx.body = accountJson(answer, audit, await usesOf(answer.keys), clock());
    },

    async key(ctx: Context, answer: Account | Refusal | null, id: KeyId): Promise<void> {
      const account: Account | Refusal = answer ?? { refused: 'not_found', what: 'key' };
      if (isRefusal(account)) return answerRefusal(ctx, account, STATUSES);
      const key = keyOf(account, id);
      if (isRefusal(key)) return answerRefusal(ctx, key);
      const audit = await accounts.auditOf(account.id);
      ctx.body = {
        ...keyJson(account, key, await usesOf([key]), clock()),
        audit: audit.filter(concerns(id)).map(auditJson),
      };
    },
  };
};

export type AccountViews = ReturnType<typeof accountViews>;
