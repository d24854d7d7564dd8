import { PLAN_NAMES, type PlanName, type Plans } from '../../../domain/billing/plan.js';

const TITLES: Readonly<Record<PlanName, string>> = { free: 'Free', builder: 'Builder', pro: 'Pro' };

const grouped = (count: number): string => count.toLocaleString('en-US');

/** The limits of the plans of this installation, as a Markdown table. */
export const planTable = (plans: Plans): string =>
  [
    '| plan | requests a minute | requests a day | streams at once | keys |',
    '|---|---|---|---|---|',
    ...PLAN_NAMES.map((name) => {
      const { requestsPerMinute, requestsPerDay, streams, keys } = plans[name];
      return `| ${TITLES[name]} | ${[requestsPerMinute, requestsPerDay, streams, keys].map(grouped).join(' | ')} |`;
    }),
  ].join('\n');
