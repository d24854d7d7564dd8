import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { Account, AccountId } from '../../../domain/accounts/account.js';
import { BODY_MAX } from '../accounts/reason-body.js';
import { takesJson } from '../answer/body.js';
import { answerRefusal } from '../answer/problem.js';
import type { DemoOutcome } from './demo-outcome.js';

/** Sends webhooks of the fake processor; returns their types and the statuses of the responses. */
export type FakePayments = (
  account: Account,
  outcome: DemoOutcome,
) => Promise<readonly { readonly type: string; readonly status: number }[]>;

/** `POST /internal/v1/demo/payments`: makes the fake processor of the demo send webhooks. */
export const postDemoPayment = (accounts: Accounts, fakePayments: FakePayments) =>
  takesJson<{ readonly account_id: AccountId; readonly outcome: DemoOutcome }>(
    'DemoPayment',
    BODY_MAX,
    async (ctx, { account_id: id, outcome }) => {
      const account = await accounts.find(id);
      if (account === null) return answerRefusal(ctx, { refused: 'not_found', what: 'account' });
      ctx.body = { delivered: await fakePayments(account, outcome) };
    },
  );
