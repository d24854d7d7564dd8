import { readStripeEvent } from './adapters/stripe/stripe-events.js';
import type { Prices } from './adapters/stripe/stripe-facts.js';
import {
  planOfStripeProduct,
  stripeClient,
  stripePortal,
  stripeProcessor,
} from './adapters/stripe/stripe-processor.js';
import { stripeSignature } from './adapters/stripe/stripe-signature.js';
import { paymentEvents } from './application/payment-events.js';
import { reconcilePayments } from './application/reconcile-payments.js';
import { replayEvent } from './application/replay-event.js';
import type { Config } from './config.js';
import {
  ACCOUNTS,
  BILLING_RULES,
  CLOCK,
  IS_SIGNED,
  LOG,
  METRICS,
  OPEN_PORTAL,
  PAYMENT_EVENTS,
  PAYMENT_INBOX,
  PRETEND,
  PROCESSOR,
  READ_PAYMENT_EVENT,
  RECONCILE_PAYMENTS,
  REPLAY_EVENT,
  TURNS,
  type Wiring,
} from './parts.js';

/** The payment processor: what it says, how it is asked, and what becomes of its events (D27–D29). */
export function wirePayments({ part, get }: Wiring, { payments }: Config): void {
  const { webhookSecrets, apiKey, apiUrl, prices: known, pastDue, schedule } = payments;
  const client = apiKey === undefined ? null : stripeClient(apiKey, apiUrl);
  const prices: Prices = {
    prices: known,
    planOfProduct: client === null ? async () => null : planOfStripeProduct(client),
  };
  part(READ_PAYMENT_EVENT, () => readStripeEvent(prices));
  part(IS_SIGNED, () => (webhookSecrets.length === 0 ? null : stripeSignature(webhookSecrets)));
  part(PROCESSOR, () => (client === null ? null : stripeProcessor(client, prices, get(READ_PAYMENT_EVENT))));
  part(OPEN_PORTAL, () => (client === null ? null : stripePortal(client)));
  part(BILLING_RULES, () => ({
    schedule,
    pastDue,
    unasked: client === null ? 'no processor' : 'unreachable',
  }));
  part(PRETEND, () => null);
  part(PAYMENT_EVENTS, () =>
    paymentEvents({
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
