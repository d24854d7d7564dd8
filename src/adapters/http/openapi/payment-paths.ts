import { EVENT_STATES } from '../../../application/ports/billing/payment-inbox.js';
import { type JsonSchema, text } from '../schema/json-schema.js';
import { actionOperation, byId, operator, refusals, unknown } from './internal-operations.js';
import { answers, requestBody } from './operations.js';

/** The payment paths of the internal listener (D29). */
export const paymentPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/payment-events': {
    get: {
      ...operator,
      operationId: 'listPaymentEvents',
      summary: 'Lists the latest 100 payment events. Filter by state or by account.',
      parameters: [
        { name: 'state', in: 'query', required: false, schema: { enum: EVENT_STATES } },
        { name: 'account_id', in: 'query', required: false, schema: text },
      ],
      responses: {
        ...answers(200, 'The payment events.', 'PaymentEvents'),
        ...refusals({ 400: 'The state is not known.' }),
      },
    },
  },
  '/internal/v1/payment-events/{id}': {
    get: {
      ...operator,
      ...byId,
      operationId: 'readPaymentEvent',
      summary: 'Reads one payment event.',
      responses: { ...answers(200, 'The event.', 'PaymentEvent'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/payment-events/{id}/replay': {
    post: {
      ...operator,
      ...byId,
      operationId: 'replayPaymentEvent',
      summary: 'Applies a stored event again. An event that is already applied changes nothing.',
      responses: {
        ...answers(200, 'The event in its current state.', 'PaymentEvent'),
        ...refusals({ ...unknown }),
      },
    },
  },
  '/internal/v1/accounts/{id}/customer': {
    post: {
      ...byId,
      ...actionOperation(
        'linkCustomer',
        'Links an account to a customer of the payment processor.',
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
        'Creates a checkout reference. Send it as `client_reference_id` to link the customer to the account.',
      responses: {
        ...answers(201, 'The reference, for checkouts opened before `expires_at`.', 'CheckoutReference'),
        ...refusals({
          ...unknown,
          409: 'The account is already linked, or no webhook secret is set. `code` says which.',
        }),
      },
    },
  },
  '/internal/v1/accounts/{id}/abuse-detection': {
    post: {
      ...byId,
      ...actionOperation(
        'setAbuseDetection',
        'Turns abuse detection on or off.',
        'AbuseDetection',
        'Account',
      ),
    },
  },
};

/** The paths that only the demo has. */
export const demoPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/demo/payments': {
    post: {
      ...operator,
      operationId: 'pretendPayment',
      summary: 'Demo only: simulates a failed payment, a payment or a cancellation.',
      ...requestBody('DemoPayment', true),
      responses: {
        ...answers(200, 'The webhooks that were sent.', 'DemoPaymentReport'),
        ...refusals({
          ...unknown,
          400: 'The body is not valid.',
          413: 'The body is too large.',
          415: 'The body is not JSON.',
        }),
      },
    },
  },
};
