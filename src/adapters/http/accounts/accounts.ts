import type { DeleteAccount } from '../../../application/accounts/delete-account.js';
import type { Hold } from '../../../application/accounts/hold.js';
import type { MonitorAccount } from '../../../application/accounts/monitor-account.js';
import type { OpenAccount } from '../../../application/accounts/open-account.js';
import type { LinkCustomer } from '../../../application/billing/link-customer.js';
import type { MakeCheckoutReference } from '../../../application/billing/make-checkout-reference.js';
import type { Accounts } from '../../../application/ports/accounts/accounts.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { readEmailAddress } from '../../../domain/accounts/email-address.js';
import type { Reason } from '../../../domain/accounts/reason.js';
import type { PlanName } from '../../../domain/billing/plan.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { type OperatorEvent, SUSPENSIONS } from '../../../domain/keys/suspension.js';
import { type Fault, isRefusal } from '../../../domain/refusal.js';
import { takesJson } from '../answer/body.js';
import { answerRefusal } from '../answer/problem.js';
import { values } from '../parameters.js';
import type { RouteContext, RouteHandler } from '../state.js';
import type { AccountViews } from './account-views.js';
import { BODY_MAX, takesReason } from './reason-body.js';

/** The actor in the audit log (D25): there is one operator token. */
export const OPERATOR = 'operator';

type NewAccount = {
  readonly email: string;
  readonly plan: PlanName;
  readonly processor_customer_id?: string;
};

type Customer = { readonly processor_customer_id: string };
type AbuseDetection = { readonly enabled: boolean; readonly reason: Reason };

export type HoldRequest = { readonly reason: Reason };
export type Release = { readonly reason?: Reason; readonly cause?: 'manual_hold' | 'abuse' };

export const releaseEvent = ({ cause = 'manual_hold' }: Release): OperatorEvent => SUSPENSIONS[cause].ends;

const accountId = (ctx: RouteContext) => (ctx.params['id'] ?? '') as AccountId;

type AccountHandlerParts = {
  readonly accounts: Accounts;
  readonly openAccount: OpenAccount;
  readonly deleteAccount: DeleteAccount;
  readonly hold: Hold;
  readonly linkCustomer: LinkCustomer;
  readonly makeCheckoutReference: MakeCheckoutReference;
  readonly monitorAccount: MonitorAccount;
  readonly accountViews: AccountViews;
  readonly keyFormat: KeyFormat;
};

/** `/internal/v1/accounts…` (D30). */
export function accountHandlers(parts: AccountHandlerParts) {
  const { accounts, openAccount, hold, linkCustomer, monitorAccount, accountViews } = parts;
  const { makeCheckoutReference, deleteAccount } = parts;
  const takesReasoned = takesReason(parts.keyFormat);

  return {
    find: findByEmail(accounts, accountViews),
    get: (async (ctx) => accountViews.account(ctx, await accounts.find(accountId(ctx)))) as RouteHandler,

    open: takesJson<NewAccount>('NewAccount', BODY_MAX, async (ctx, body) => {
      const { email, plan, processor_customer_id: processorCustomerId = null } = body;
      await accountViews.account(ctx, await openAccount({ email, plan, processorCustomerId }, OPERATOR), 201);
    }),

    delete: (async (ctx) => {
      const answer = await deleteAccount(accountId(ctx), OPERATOR);
      if (isRefusal(answer)) return answerRefusal(ctx, answer);
      ctx.status = 204;
    }) as RouteHandler,

    hold: takesReasoned<HoldRequest>('HoldRequest', async (ctx, { reason }) => {
      await accountViews.account(ctx, await hold.onSubscription(accountId(ctx), 'held', reason, OPERATOR));
    }),

    release: takesReasoned<Release>('Release', async (ctx, release) => {
      const { reason = null } = release;
      const event = releaseEvent(release);
      await accountViews.account(ctx, await hold.onSubscription(accountId(ctx), event, reason, OPERATOR));
    }),

    link: takesJson<Customer>('CustomerLink', BODY_MAX, async (ctx, { processor_customer_id: customer }) => {
      await accountViews.account(ctx, await linkCustomer(accountId(ctx), customer, null, OPERATOR));
    }),

    checkoutReference: (async (ctx) => {
      const issued = await makeCheckoutReference(accountId(ctx));
      if (isRefusal(issued)) return answerRefusal(ctx, issued);
      ctx.status = 201;
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { checkout_reference: issued.reference, expires_at: issued.expiresAt };
    }) as RouteHandler,

    setAbuseDetection: takesReasoned<AbuseDetection>('AbuseDetection', async (ctx, { enabled, reason }) => {
      await accountViews.account(ctx, await monitorAccount(accountId(ctx), enabled, reason, OPERATOR));
    }),
  };
}

const findByEmail =
  (accounts: Accounts, accountViews: AccountViews): RouteHandler =>
  async (ctx) => {
    const [email, ...others] = values(ctx.querystring, 'email');
    if (email !== undefined && email !== '' && others.length === 0) {
      const address = readEmailAddress(email);
      return accountViews.account(ctx, address === undefined ? null : await accounts.findByEmail(address));
    }
    const fault: Fault = {
      parameter: 'email',
      code: 'missing',
      message: 'must be given once: ?email=<address>',
    };
    answerRefusal(ctx, { refused: 'invalid_parameter', faults: [fault] });
  };
