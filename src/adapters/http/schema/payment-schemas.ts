import { EVENT_STATES } from '../../../application/ports/billing/payment-inbox.js';
import { DEMO_OUTCOMES } from '../billing/demo-outcome.js';
import { arrayOf, closed, id, integer, orNull, type Properties, ref, text } from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

/** Payment events with their states, and checkout references (D29). */
export const paymentSchemas: Properties = {
  WebhookReceipt: closed({ state: { enum: [...EVENT_STATES, 'known'] } }),
  PaymentEvent: closed({
    event_id: id,
    type: text,
    created_at: writtenMoment,
    received_at: writtenMoment,
    state: { enum: EVENT_STATES },
    fault: orNull(text),
    account_id: orNull(id),
    processor_customer_id: orNull(id),
  }),
  PaymentEvents: closed({ events: arrayOf(ref('PaymentEvent')) }),
  CheckoutReference: closed({
    checkout_reference: { type: 'string', maxLength: 120, pattern: '^[A-Za-z0-9_-]+$' },
    expires_at: writtenMoment,
  }),
  DemoPayment: closed({ account_id: id, outcome: { enum: DEMO_OUTCOMES } }),
  DemoPaymentReport: closed({ delivered: arrayOf(closed({ type: text, status: integer })) }),
};
