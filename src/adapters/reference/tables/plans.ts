import { PLAN_NAMES, type Plans } from '../../../domain/billing/plan.js';

const grouped = (count: number): string => count.toLocaleString('en-US');

/** The limits of the plans of this installation, as a Markdown table, with their prices if settings name them. */
export function planTable(plans: Plans): string {
  const hasPrices = PLAN_NAMES.some((name) => plans[name].price !== null);
  const price = (text: string | null) => (hasPrices ? ` ${text ?? ''} |` : '');
  const rows = PLAN_NAMES.map((name) => {
    const { title, requestsPerMinute, requestsPerDay, streams, keys, destinations } = plans[name];
    const limits = [requestsPerMinute, requestsPerDay, streams, keys, destinations].map(grouped).join(' | ');
    return `| ${title} | ${limits} |${price(plans[name].price)}`;
  });
  return [
    `| plan | requests a minute | requests a day | streams at once | keys | destinations |${price('price')}`,
    `|---|---|---|---|---|---|${hasPrices ? '---|' : ''}`,
    ...rows,
  ].join('\n');
}

/** Without a payment link, the dashboard has no checkout: payments are only reported by the payment processor. */
export type PaymentTerms = { readonly paymentLink: string | undefined };

export const hasCheckout = ({ paymentLink }: PaymentTerms): boolean => paymentLink !== undefined;

/** What the plans cost. Their prices are known only to the payment processor. */
export const planTerms = (hasCheckout: boolean): string =>
  [
    'The Free plan costs nothing: every account that signs in for the first time has it.',
    hasCheckout
      ? 'You subscribe to a paid plan in the dashboard, under Plan. The checkout shows its price before you pay.'
      : 'Paid plans cannot be bought here: contact us for their prices, and to subscribe.',
  ].join(' ');
