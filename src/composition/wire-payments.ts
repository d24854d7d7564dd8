import { readStripeEvent } from '../adapters/stripe/stripe-events.js';
import type { Prices } from '../adapters/stripe/stripe-facts.js';
import { stripePaymentLink } from '../adapters/stripe/stripe-payment-link.js';
import {
  planOfStripeProduct,
  stripeClient,
  stripePortal,
  stripeProcessor,
} from '../adapters/stripe/stripe-processor.js';
import { stripeSignature } from '../adapters/stripe/stripe-signature.js';
import { hmacReferenceSigner } from '../adapters/system/hmac-reference-signer.js';
import { LinkCheckout } from '../application/billing/link-checkout.js';
import { makeCheckoutReference } from '../application/billing/make-checkout-reference.js';
import { openPortal } from '../application/billing/open-portal.js';
import { PaymentEvents } from '../application/billing/payment-events.js';
import { reconcilePayments } from '../application/billing/reconcile-payments.js';
import { replayEvent } from '../application/billing/replay-event.js';
import type { Config } from '../settings/config.js';
import type { PaymentSettings } from '../settings/payment-settings.js';
import {
  ACCOUNTS,
  BILLING_PORTAL,
  BILLING_RULES,
  CHECKOUT_URL,
  CLOCK,
  IS_SIGNED,
  LINK_CHECKOUT,
  LINK_CUSTOMER,
  LOG,
  MAKE_CHECKOUT_REFERENCE,
  METRICS,
  OPEN_PORTAL,
  PAYMENT_EVENTS,
  PAYMENT_INBOX,
  PRETEND,
  PROCESSOR,
  READ_PAYMENT_EVENT,
  RECONCILE_PAYMENTS,
  REFERENCE_SIGNER,
  REPLAY_EVENT,
  TURNS,
  type Wiring,
} from './parts.js';

/** The payment processor: what it says, how it is asked, and what becomes of its events (D27–D29). */
export function wirePayments(wiring: Wiring, { payments }: Config): void {
  wireCheckouts(wiring, payments);
  const { part, get } = wiring;
  const { webhookSecrets, apiKey, apiUrl, prices: known, pastDue, schedule } = payments;
  const client = apiKey === undefined ? null : stripeClient(apiKey, apiUrl);
  const prices: Prices = {
    prices: known,
    planOfProduct: client === null ? async () => null : planOfStripeProduct(client),
  };
  part(READ_PAYMENT_EVENT, () => {
    const signer = get(REFERENCE_SIGNER);
    return readStripeEvent(prices, (content, signature) => signer?.isSigned(content, signature) ?? false);
  });
  part(IS_SIGNED, () => (webhookSecrets.length === 0 ? null : stripeSignature(webhookSecrets)));
  part(PROCESSOR, () => (client === null ? null : stripeProcessor(client, prices, get(READ_PAYMENT_EVENT))));
  part(BILLING_PORTAL, () => (client === null ? null : stripePortal(client)));
  part(BILLING_RULES, () => ({
    schedule,
    pastDue,
    unasked: client === null ? 'no processor' : 'unreachable',
  }));
  part(PRETEND, () => null);
  part(
    PAYMENT_EVENTS,
    () =>
      new PaymentEvents({
        inbox: get(PAYMENT_INBOX),
        rules: get(BILLING_RULES),
        clock: get(CLOCK),
        note: ({ state }, { id, type }) => {
          get(METRICS).paymentEvent(state);
          if (state === 'failed') {
            get(LOG).error(
              { event: id, type },
              'a payment event could not be applied: it is kept, to be replayed',
            );
          }
        },
      }),
  );
  part(REPLAY_EVENT, () =>
    replayEvent({
      inbox: get(PAYMENT_INBOX),
      read: get(READ_PAYMENT_EVENT),
      events: get(PAYMENT_EVENTS),
      accounts: get(ACCOUNTS),
      clock: get(CLOCK),
    }),
  );
  part(RECONCILE_PAYMENTS, () =>
    reconcilePayments({
      turns: get(TURNS),
      events: get(PAYMENT_EVENTS),
      clock: get(CLOCK),
      processor: get(PROCESSOR),
    }),
  );
}

/** How checkouts are opened for an account, and how what they name is linked to it. */
function wireCheckouts({ part, get }: Wiring, { webhookSecrets, paymentLink }: PaymentSettings): void {
  part(REFERENCE_SIGNER, () => {
    const [present, ...former] = webhookSecrets;
    return present === undefined ? null : hmacReferenceSigner([present, ...former]);
  });
  part(CHECKOUT_URL, () => (paymentLink === undefined ? null : stripePaymentLink(paymentLink)));
  part(MAKE_CHECKOUT_REFERENCE, () =>
    makeCheckoutReference({ accounts: get(ACCOUNTS), clock: get(CLOCK), signer: get(REFERENCE_SIGNER) }),
  );
  part(OPEN_PORTAL, () => {
    const portal = get(BILLING_PORTAL);
    return portal === null ? null : openPortal({ portal });
  });
  part(
    LINK_CHECKOUT,
    () =>
      new LinkCheckout({
        inbox: get(PAYMENT_INBOX),
        read: get(READ_PAYMENT_EVENT),
        accounts: get(ACCOUNTS),
        linkCustomer: get(LINK_CUSTOMER),
        replayEvent: get(REPLAY_EVENT),
      }),
  );
}
