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

/** Where the payment processor sends its events; without a secret, the service accepts no payments. */
export type PaymentTerms = { readonly webhookSecrets: readonly string[] };

export const hasCheckout = ({ webhookSecrets }: PaymentTerms): boolean => webhookSecrets.length > 0;

/** What the plans cost. Their prices are known only to the payment processor. */
export const planTerms = (hasCheckout: boolean): string =>
  [
    'The Free plan costs nothing: every account that signs in for the first time has it.',
    hasCheckout
      ? 'You subscribe to a paid plan in the dashboard, under Subscription. The checkout shows its price before you pay.'
      : 'This installation has no checkout: its operator states the prices of the paid plans, and assigns the plans.',
  ].join(' ');
