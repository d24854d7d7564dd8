import { EVENT_STATES } from '../../../application/ports/billing/payment-inbox.js';
import { type JsonSchema, text } from '../schema/json-schema.js';
import { actionOperation, byId, operator, refusals, unknown } from './internal-operations.js';
import { answers, requestBody } from './operations.js';

/** `/internal/v1/payment-events…`, and what else there is of payments on the internal listener (D29). */
export const paymentPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/payment-events': {
    get: {
      ...operator,
      operationId: 'listPaymentEvents',
      summary: 'What the processor said, the latest 100; of one state or of one account.',
      parameters: [
        { name: 'state', in: 'query', required: false, schema: { enum: EVENT_STATES } },
        { name: 'account_id', in: 'query', required: false, schema: text },
      ],
      responses: {
        ...answers(200, 'Events.', 'PaymentEvents'),
        ...refusals({ 400: 'There is no such state.' }),
      },
    },
  },
  '/internal/v1/payment-events/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readPaymentEvent',
      summary: 'What became of one event.',
      responses: { ...answers(200, 'The event.', 'PaymentEvent'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/payment-events/{id}/replay': {
    post: {
      ...operator,
      ...byId,
      operationId: 'replayPaymentEvent',
      summary: 'Reads and applies a stored event anew; one that was applied changes nothing.',
      responses: { ...answers(200, 'The event as it is now.', 'PaymentEvent'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/accounts/{id}/customer': {
    post: {
      ...byId,
      ...actionOperation(
        'linkCustomer',
        'Says which customer of the processor an account is.',
        'CustomerLink',
        'Account',
      ),
    },
  },
  '/internal/v1/accounts/{id}/checkout-reference': {
    post: {
      ...operator,
      ...byId,
      operationId: 'makeCheckoutReference',
      summary:
        'Makes the `client_reference_id` of a checkout for an account: the customer of the checkout is linked to it.',
      responses: {
        ...answers(201, 'A reference for checkouts that are opened until it expires.', 'CheckoutReference'),
        ...refusals({
          ...unknown,
          409: 'The account is a customer already, or no webhook secret is set; `code` says which.',
        }),
      },
    },
  },
  '/internal/v1/accounts/{id}/abuse-detection': {
    post: {
      ...byId,
      ...actionOperation(
        'setAbuseDetection',
        'Turns the detection of abuse off or on.',
        'AbuseDetection',
        'Account',
      ),
    },
  },
};

/** What only the demo has. */
export const demoPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/demo/payments': {
    post: {
      ...operator,
      operationId: 'pretendPayment',
      summary: 'In the demo only: the pretend processor fails, pays or cancels.',
      ...requestBody('DemoPayment', true),
      responses: {
        ...answers(200, 'The webhooks that it sent.', 'DemoPaymentReport'),
        ...refusals({ ...unknown, 400: 'The body is not valid.', 413: 'Too large.', 415: 'Not JSON.' }),
      },
    },
  },
};
