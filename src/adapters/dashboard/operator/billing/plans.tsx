import type { Beyond, ReadPlanUse } from '../../../../application/billing/read-plan-use.js';
import { PLAN_NAMES, type Plans } from '../../../../domain/billing/plan.js';
import { readProposedLimit } from '../../../../domain/billing/proposed-limits.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
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
  readonly keyFormat: KeyFormat;
};

/** The plans of the settings, and how many accounts a lower limit would concern. The page changes nothing: settings are files. */
export function planRoutes({ visits, readPlanUse, plans, keyFormat }: PlanParts): readonly PageRoute[] {
  const show: Page<OperatorVisit> = async (ctx, { viewer, now }) => {
    const question = questionOf(ctx, keyFormat);
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
function questionOf(ctx: Context, { redact }: Pick<KeyFormat, 'redact'>): Question {
  const given = (name: string) => redact(parameter(ctx, name) ?? '');
  const typed = { keys: given('keys'), requestsPerDay: given('day') };
  const plan = PLAN_NAMES.find((name) => name === parameter(ctx, 'plan')) ?? null;
  const [keys, requestsPerDay] = [readProposedLimit(typed.keys), readProposedLimit(typed.requestsPerDay)];
  const isInvalid = keys === undefined || requestsPerDay === undefined;
  const fault = isInvalid ? 'A limit must be a whole number from 0 to 1,000,000,000.' : null;
  return { plan, typed, keys: keys ?? null, requestsPerDay: requestsPerDay ?? null, fault };
}
