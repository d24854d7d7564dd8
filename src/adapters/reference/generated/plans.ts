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

/** Without a payment link, the dashboard has no checkout: payments are only reported by the payment processor. */
export type PaymentTerms = { readonly paymentLink: string | undefined };

export const hasCheckout = ({ paymentLink }: PaymentTerms): boolean => paymentLink !== undefined;

/** What the plans cost. Their prices are known only to the payment processor. */
export const planTerms = (hasCheckout: boolean): string =>
  [
    'The Free plan costs nothing: every account that signs in for the first time has it.',
    hasCheckout
      ? 'You subscribe to a paid plan in the dashboard, under Subscription. The checkout shows its price before you pay.'
      : 'This installation has no checkout: its operator states the prices of the paid plans, and assigns the plans.',
  ].join(' ');
