import type { ChangePlan } from '../../../../application/billing/change-plan.js';
import type { Accounts } from '../../../../application/ports/accounts/accounts.js';
import type { Destinations } from '../../../../application/ports/destinations/destinations.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { limitChanges, whyNotChangePlan } from '../../../../domain/billing/account-plan.js';
import { PLAN_NAMES, type PlanName, type Plans, planOf } from '../../../../domain/billing/plan.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal, type Refusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { accountRefusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { accountPath } from '../addresses.js';
import type { ReasonFault } from '../reason-form.js';
import { submittedReason } from '../submitted-reason.js';
import { withAccount } from './account.js';
import { PlanChangePage } from './plan-change-page.js';

export type PlanChangeParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly accounts: Accounts;
  readonly destinations: Pick<Destinations, 'of'>;
  readonly changePlan: ChangePlan;
  readonly plans: Plans;
  readonly keyFormat: KeyFormat;
};

/** The plan of an account: chosen first, then shown with its effect, then changed with a reason (D126). */
export function planChangeRoutes(parts: PlanChangeParts): readonly PageRoute[] {
  const { visits, accounts, destinations, changePlan, plans, keyFormat } = parts;

  type Shown = {
    readonly chosen: PlanName | null;
    readonly refusal: Refusal | null;
    readonly fault: ReasonFault | null;
  };
  const show = async (ctx: Context, visit: OperatorVisit, account: Account, shown: Shown, status = 200) => {
    const refusal = shown.refusal ?? whyNotChangePlan(account);
    const { plan } = account.subscription;
    const [before, after] = [planOf(plans, plan), planOf(plans, shown.chosen ?? plan)];
    const isPreview = refusal === null && shown.chosen !== null && shown.chosen !== plan;
    const { length } = isPreview ? await destinations.of(account.id) : [];
    const preview =
      isPreview && before !== undefined && after !== undefined
        ? { plan: shown.chosen, changes: limitChanges(account, length, { before, after }) }
        : null;
    const why = refusal === null ? null : whyText(refusal, account);
    const props = { viewer: visit.viewer, account, plans, preview, why, fault: shown.fault };
    answerPage(ctx, <PlanChangePage {...props} />, status);
  };

  const ask = (ctx: Context, visit: OperatorVisit, account: Account) =>
    show(ctx, visit, account, { chosen: planNamed(parameter(ctx, 'to')), refusal: null, fault: null });

  const take = async (ctx: Context, visit: OperatorVisit, account: Account, form: URLSearchParams) => {
    const [seen, plan] = [planNamed(form.get('seen')), planNamed(form.get('to'))];
    if (seen === null || plan === null) {
      return show(ctx, visit, account, { chosen: null, refusal: null, fault: null }, 400);
    }
    const submitted = submittedReason(form, keyFormat);
    if ('fault' in submitted) {
      return show(ctx, visit, account, { chosen: plan, refusal: null, fault: submitted.fault }, 400);
    }
    const changed = await changePlan(account.id, { seen, plan }, submitted.reason, visit.name);
    if (!isRefusal(changed)) return goTo(ctx, `${accountPath(account.id)}?done=plan`);
    const now = (await accounts.find(account.id)) ?? account;
    return show(ctx, visit, now, { chosen: null, refusal: changed, fault: null }, 409);
  };

  return [
    {
      path: '/operator/accounts/:id/plan',
      GET: visits.page(withAccount(accounts, ask)),
      POST: visits.form(withAccount(accounts, take)),
    },
  ];
}

const planNamed = (text: string | null): PlanName | null => PLAN_NAMES.find((name) => name === text) ?? null;

const whyText = (refusal: Refusal, account: Account): string =>
  refusal.refused === 'subscription_running'
    ? 'The payment processor names the plan of this account. Change the price of the subscription there.'
    : accountRefusalText(refusal, account);
