import { EVENT_STATES } from '../../../application/ports/billing/payment-inbox.js';
import { type JsonSchema, text } from '../schema/json-schema.js';
import { EVENT_ID } from './examples/account-examples.js';
import { actionOperation, byAccount, byId, operator, refusals, unknown } from './internal-operations.js';
import { answers, requestBody } from './operations.js';

/** The payment paths of the internal listener (D29). */
export const paymentPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/payment-events': {
    get: {
      ...operator,
      operationId: 'listPaymentEvents',
      summary: 'Lists the latest 100 payment events. Filter by state or by account.',
      description: 'Newest first. Use it to find events that failed or wait for an account.',
      parameters: [
        {
          name: 'state',
          in: 'query',
          required: false,
          description: 'Only events in this state.',
          schema: { enum: EVENT_STATES },
        },
        {
          name: 'account_id',
          in: 'query',
          required: false,
          description: 'Only events of this account.',
          schema: text,
        },
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
      ...byId('the event', EVENT_ID),
      operationId: 'readPaymentEvent',
      summary: 'Reads one payment event.',
      description: 'The payload of the payment processor is not shown.',
      responses: { ...answers(200, 'The event.', 'PaymentEvent'), ...refusals({ ...unknown }) },
    },
  },
  '/internal/v1/payment-events/{id}/replay': {
    post: {
      ...operator,
      ...byId('the event', EVENT_ID),
      operationId: 'replayPaymentEvent',
      summary: 'Applies a stored event again. An event that is already applied changes nothing.',
      description: 'Use it after the cause of a failed event is removed.',
      responses: {
        ...answers(200, 'The event in its current state.', 'PaymentEvent'),
        ...refusals({ ...unknown }),
      },
    },
  },
  '/internal/v1/accounts/{id}/customer': {
    post: {
      ...byAccount,
      ...actionOperation({
        operationId: 'linkCustomer',
        summary: 'Links an account to a customer of the payment processor.',
        description:
          'Payment events of this customer then change the subscription. Events that were waiting for the link are applied.',
        body: 'CustomerLink',
        answer: 'Account',
      }),
    },
  },
  '/internal/v1/accounts/{id}/checkout-reference': {
    post: {
      ...operator,
      ...byAccount,
      operationId: 'makeCheckoutReference',
      summary:
        'Creates a checkout reference. Send it as `client_reference_id` to link the customer to the account.',
      description: 'The reference is signed with the webhook secret, and valid for a limited time.',
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
      ...byAccount,
      ...actionOperation({
        operationId: 'setAbuseDetection',
        summary: 'Turns abuse detection on or off.',
        description:
          'Without abuse detection, many networks or refused requests never suspend the subscription.',
        body: 'AbuseDetection',
        answer: 'Account',
      }),
    },
  },
};

/** The paths that only the demo has. */
export const demoPaths: Readonly<Record<string, JsonSchema>> = {
  '/internal/v1/demo/payments': {
    post: {
      ...operator,
      operationId: 'simulatePayment',
      summary: 'Demo only: simulates a failed payment, a payment or a cancellation.',
      description: 'The demo has a simulated payment processor, which sends real webhooks.',
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
