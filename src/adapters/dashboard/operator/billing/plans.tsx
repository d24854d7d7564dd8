import type { Beyond, ReadPlanUse } from '../../../../application/billing/read-plan-use.js';
import { PLAN_NAMES, type Plans } from '../../../../domain/billing/plan.js';
import { readProposedLimit } from '../../../../domain/billing/proposed-limits.js';
import { answerPage } from '../../page/answer.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, parameter } from '../../state.js';
import type { OperatorVisit, Page, Visits } from '../../visit.js';
import { PLANS_PATH } from '../addresses.js';
import { PlansPage, type Question } from './plans-page.js';

export type PlanParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly readPlanUse: ReadPlanUse;
  readonly plans: Plans;
};

/** The plans of the settings, and how many accounts a lower limit would concern. The page changes nothing: settings are files. */
export function planRoutes({ visits, readPlanUse, plans }: PlanParts): readonly PageRoute[] {
  const show: Page<OperatorVisit> = async (ctx, { viewer, now }) => {
    const question = questionOf(ctx);
    const { plan, keys, requestsPerDay } = question;
    const isAsked = plan !== null && (keys !== null || requestsPerDay !== null) && question.fault === null;
    const [counts, beyond]: [Awaited<ReturnType<ReadPlanUse['counts']>>, Beyond | null] = await Promise.all([
      readPlanUse.counts(),
      isAsked ? readPlanUse.beyond(plan, { keys, requestsPerDay }, now) : null,
    ]);
    const status = question.fault === null ? 200 : 400;
    return answerPage(ctx, <PlansPage {...{ viewer, plans, counts, question, beyond }} />, status);
  };
  return [{ path: PLANS_PATH, GET: visits.page(show) }];
}

/** The limits that are asked about, with what was typed. */
function questionOf(ctx: Context): Question {
  const typed = { keys: parameter(ctx, 'keys') ?? '', requestsPerDay: parameter(ctx, 'day') ?? '' };
  const plan = PLAN_NAMES.find((name) => name === parameter(ctx, 'plan')) ?? null;
  const [keys, requestsPerDay] = [readProposedLimit(typed.keys), readProposedLimit(typed.requestsPerDay)];
  const isInvalid = keys === undefined || requestsPerDay === undefined;
  const fault = isInvalid ? 'A limit must be a whole number from 0 to 1,000,000,000.' : null;
  return { plan, typed, keys: keys ?? null, requestsPerDay: requestsPerDay ?? null, fault };
}
