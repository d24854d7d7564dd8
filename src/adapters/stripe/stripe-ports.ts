import type {
  BillingPortal,
  CheckoutUrl,
  CustomerPage,
  IsSigned,
  Processor,
  ReadEventDetails,
  ReadPaymentEvent,
} from '../../application/ports/billing/processor.js';
import type { ReferenceSigner } from '../../application/ports/billing/reference-signer.js';
import { stripeCustomerPage } from './stripe-customer-page.js';
import { stripeEventDetails } from './stripe-event-details.js';
import { readStripeEvent } from './stripe-events.js';
import type { Prices } from './stripe-facts.js';
import { stripePaymentLink } from './stripe-payment-link.js';
import { planOfStripeProduct, stripeClient, stripePortal, stripeProcessor } from './stripe-processor.js';
import { stripeSignature } from './stripe-signature.js';
import { isLiveKey, onlyLive } from './stripe-test-mode.js';

type StripeSettings = {
  readonly webhookSecrets: readonly string[];
  readonly apiKey: string | undefined;
  readonly apiUrl: string;
  readonly prices: Prices['prices'];
  readonly paymentLink: string | undefined;
};

/**
 * A factory for each payment port, over Stripe. A port is null if its settings are missing. `isSignedHere` returns
 * whether this service signed a checkout reference.
 */
export function stripePorts(settings: StripeSettings, isSignedHere: ReferenceSigner['isSigned']) {
  const { webhookSecrets, apiKey, apiUrl, paymentLink } = settings;
  const client = apiKey === undefined ? null : stripeClient(apiKey, apiUrl);
  const planOfProduct = client === null ? async () => null : planOfStripeProduct(client);
  const prices = { prices: settings.prices, planOfProduct };
  const readAll = readStripeEvent(prices, isSignedHere);
  const read = isLiveKey(apiKey) ? onlyLive(readAll) : readAll;
  return {
    readPaymentEvent: (): ReadPaymentEvent => read,
    readEventDetails: (): ReadEventDetails => stripeEventDetails,
    processor: (): Processor | null => (client === null ? null : stripeProcessor(client, prices, read)),
    billingPortal: (): BillingPortal | null => (client === null ? null : stripePortal(client)),
    isSigned: (): IsSigned | null => (webhookSecrets.length === 0 ? null : stripeSignature(webhookSecrets)),
    customerPage: (): CustomerPage | null =>
      apiKey === undefined ? null : stripeCustomerPage(isLiveKey(apiKey)),
    checkoutUrl: (): CheckoutUrl | null =>
      paymentLink === undefined ? null : stripePaymentLink(paymentLink),
  };
}
