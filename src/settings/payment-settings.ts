import type { PastDue } from '../domain/billing/billing.js';
import { DUNNING } from '../domain/billing/dunning.js';
import type { DunningSchedule } from '../domain/billing/failed-invoice.js';
import { PLAN_NAMES, type PlanName, type PriceMap } from '../domain/billing/plan.js';
import type { EnvironmentReader } from './environment.js';
import { readWebAddress } from './web-address-setting.js';

/** The settings of the payment processor and of dunning (D27–D29, D43). */
export type PaymentSettings = {
  /** Empty: webhooks are not accepted. There are two while the secret is replaced. */
  readonly webhookSecrets: readonly string[];
  /** Undefined: the processor is never queried. */
  readonly apiKey: string | undefined;
  readonly apiUrl: string;
  readonly prices: PriceMap;
  /** The checkout page of the processor. Undefined: the dashboard shows a checkout reference to copy instead. */
  readonly paymentLink: string | undefined;
  readonly pastDue: PastDue;
  readonly schedule: DunningSchedule;
};

export function readPayments(read: EnvironmentReader): PaymentSettings {
  const secrets = read.secret('STRIPE_WEBHOOK_SECRET')?.split(',') ?? [];
  if (secrets.length > 2 || secrets.includes('')) {
    read.refuse('STRIPE_WEBHOOK_SECRET must be one secret, or two separated by a comma while it is rotated');
  }
  return {
    webhookSecrets: secrets,
    apiKey: read.secret('STRIPE_API_KEY'),
    apiUrl: readWebAddress(read, 'STRIPE_API_URL') ?? 'https://api.stripe.com',
    prices: readPrices(read),
    paymentLink: readPaymentLink(read, secrets.length > 0),
    pastDue: read.oneOf('PAST_DUE', 'serve', ['serve', 'refuse']),
    schedule: {
      retries: read.whole('DUNNING_RETRIES', DUNNING.retries, 1, 20),
      retryDays: readRetryDays(read),
      days: read.whole('DUNNING_DAYS', DUNNING.days, 1, 90),
    },
  };
}

function readPaymentLink(read: EnvironmentReader, acceptsWebhooks: boolean): string | undefined {
  const link = read.url('STRIPE_PAYMENT_LINK', ['https']);
  if (link !== undefined && !acceptsWebhooks) {
    read.refuse(
      'STRIPE_PAYMENT_LINK needs STRIPE_WEBHOOK_SECRET; without webhooks the service is not notified of payments',
    );
  }
  return link;
}

/** Reads a text like `price_1=pro,price_2=builder`. */
function readPrices(read: EnvironmentReader): PriceMap {
  const pairs = (read.given('STRIPE_PRICES')?.split(',') ?? []).map((pair) => pair.split('='));
  const isValid = (pair: readonly string[]): pair is readonly [string, PlanName] =>
    pair.length === 2 && pair[0] !== '' && PLAN_NAMES.some((plan) => plan === pair[1]);
  if (pairs.every(isValid)) return Object.fromEntries(pairs);
  read.refuse(`STRIPE_PRICES must be like price_1=pro,price_2=builder; plans are ${PLAN_NAMES.join(', ')}`);
  return {};
}

function readRetryDays(read: EnvironmentReader): readonly number[] {
  const given = read.given('DUNNING_RETRY_DAYS');
  if (given === undefined) return DUNNING.retryDays;
  const days = given.split(',').map(Number);
  const isAscending = days.every((day, i) => Number.isInteger(day) && day > (days[i - 1] ?? 0));
  if (isAscending) return days;
  read.refuse('DUNNING_RETRY_DAYS must be whole numbers in ascending order, like 1,4,8,14');
  return DUNNING.retryDays;
}
