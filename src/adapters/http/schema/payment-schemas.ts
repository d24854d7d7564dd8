import { EVENT_STATES } from '../../../application/ports/billing/payment-inbox.js';
import { DEMO_OUTCOMES } from '../billing/demo-outcome.js';
import {
  arrayOf,
  closed,
  described,
  id,
  integer,
  orNull,
  type Properties,
  ref,
  text,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

const eventId = described(id, 'The id of the event at the payment processor.');
const type = described(text, 'The type of the event, as the payment processor names it.');

/** Payment events with their states, and checkout references (D29). */
export const paymentSchemas: Properties = {
  WebhookReceipt: closed({
    state: described(
      { enum: [...EVENT_STATES, 'known'] },
      'What became of the event; `known`: it was received before.',
    ),
  }),
  PaymentEvent: closed({
    event_id: eventId,
    type,
    created_at: described(writtenMoment, 'When the payment processor created it, in UTC.'),
    received_at: described(writtenMoment, 'When the service received it, in UTC.'),
    state: described({ enum: EVENT_STATES }, 'What became of the event.'),
    fault: described(orNull(text), 'Why it could not be applied. Null if it was.'),
    account_id: described(orNull(id), 'The account that it concerns. Null if it is not known.'),
    processor_customer_id: described(orNull(id), 'The customer at the payment processor.'),
  }),
  PaymentEvents: closed({ events: described(arrayOf(ref('PaymentEvent')), 'The latest events first.') }),
  CheckoutReference: closed({
    checkout_reference: described(
      { type: 'string', maxLength: 120, pattern: '^[A-Za-z0-9_-]+$' },
      'The `client_reference_id` of the checkout.',
    ),
    expires_at: described(writtenMoment, 'Checkouts that are opened later are not linked.'),
  }),
  DemoPayment: closed({
    account_id: described(id, 'The account that pays or does not.'),
    outcome: described({ enum: DEMO_OUTCOMES }, 'What the simulated payment processor reports.'),
  }),
  DemoPaymentReport: closed({
    delivered: described(
      arrayOf(closed({ type, status: described(integer, 'The HTTP status of the answer.') })),
      'The webhooks, in the order in which they were sent.',
    ),
  }),
};
