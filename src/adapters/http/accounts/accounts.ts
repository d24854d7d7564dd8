import type { Hold, HoldEvent } from '../../../application/hold.js';
import type { LinkCustomer } from '../../../application/link-customer.js';
import type { OpenAccount } from '../../../application/open-account.js';
import type { Accounts } from '../../../application/ports/accounts.js';
import type { WatchAccount } from '../../../application/watch-account.js';
import type { AccountId } from '../../../domain/account.js';
import type { PlanName } from '../../../domain/plan.js';
import { takesJson } from '../body.js';
import { values } from '../parameters.js';
import { answerRefusal } from '../problem.js';
import type { RouteContext, RouteHandler } from '../state.js';
import type { AccountViews } from './account-views.js';

/** Bytes of what operators send. */
export const BODY_MAX = 64 * 1_024;

/** Who acts, for the audit log (D25): there is one operator token. */
export const OPERATOR = 'operator';

type NewAccount = {
  readonly email: string;
  readonly plan: PlanName;
  readonly processor_customer_id?: string;
};

type Customer = { readonly processor_customer_id: string };
type Watch = { readonly enabled: boolean; readonly reason: string };

export type HoldRequest = { readonly reason: string };
export type Release = { readonly reason?: string; readonly cause?: 'manual_hold' | 'abuse' };

export const releaseEvent = ({ cause }: Release): HoldEvent =>
  cause === 'abuse' ? 'abuse_cleared' : 'released';

const accountId = (ctx: RouteContext) => (ctx.params['id'] ?? '') as AccountId;

/** `/internal/v1/accounts…` (D30). */
export function accountHandlers(parts: {
  readonly accounts: Accounts;
  readonly openAccount: OpenAccount;
  readonly hold: Hold;
  readonly linkCustomer: LinkCustomer;
  readonly watchAccount: WatchAccount;
  readonly views: AccountViews;
}) {
  const { accounts, openAccount, hold, linkCustomer, watchAccount, views } = parts;

  const find: RouteHandler = async (ctx) => {
    const [email, ...others] = values(ctx.querystring, 'email');
    if (email !== undefined && email !== '' && others.length === 0) {
      return views.account(ctx, await accounts.findByEmail(email));
    }
    const fault = { parameter: 'email', code: 'missing', message: 'must be given once: ?email=<address>' };
    answerRefusal(ctx, { refused: 'invalid_parameter', faults: [fault] });
  };

  return {
    find,
    get: (async (ctx) => views.account(ctx, await accounts.find(accountId(ctx)))) as RouteHandler,

    open: takesJson<NewAccount>('NewAccount', BODY_MAX, async (ctx, body) => {
      const { email, plan, processor_customer_id: processorCustomerId = null } = body;
      await views.account(ctx, await openAccount({ email, plan, processorCustomerId }, OPERATOR), 201);
    }),

    hold: takesJson<HoldRequest>('HoldRequest', BODY_MAX, async (ctx, { reason }) => {
      await views.account(ctx, await hold.onSubscription(accountId(ctx), 'held', reason, OPERATOR));
    }),

    release: takesJson<Release>('Release', BODY_MAX, async (ctx, release) => {
      const { reason = null } = release;
      const event = releaseEvent(release);
      await views.account(ctx, await hold.onSubscription(accountId(ctx), event, reason, OPERATOR));
    }),

    link: takesJson<Customer>('CustomerLink', BODY_MAX, async (ctx, { processor_customer_id: customer }) => {
      await views.account(ctx, await linkCustomer(accountId(ctx), customer, OPERATOR));
    }),

    watch: takesJson<Watch>('AbuseDetection', BODY_MAX, async (ctx, { enabled, reason }) => {
      await views.account(ctx, await watchAccount(accountId(ctx), enabled, reason, OPERATOR));
    }),
  };
}

export type AccountHandlers = ReturnType<typeof accountHandlers>;
