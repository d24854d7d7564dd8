import type { JsonSchema } from '../schema/json-schema.js';
import { answers, problems, retryAfter } from './operations.js';
import { commonHeaders, problemHeaders } from './public-responses.js';

/** The webhook of the payment processor (D31). It is on the public listener, and not for customers. */
export const webhookPath = (publicUrl: string): Readonly<Record<string, JsonSchema>> => ({
  '/webhooks/stripe': {
    servers: [{ url: publicUrl, description: 'The public listener' }],
    post: {
      operationId: 'receiveWebhook',
      summary: 'Receives an event of the payment processor.',
      description: 'Responds once the event is stored and applied. The same event twice has one effect.',
      security: [],
      parameters: [
        {
          name: 'Stripe-Signature',
          in: 'header',
          required: true,
          description: 'The signature of the body, at most 300 seconds old.',
          schema: { type: 'string' },
        },
      ],
      requestBody: {
        required: true,
        description: 'An event, exactly as the payment processor signed it.',
        content: { 'application/json': {} },
      },
      responses: {
        ...answers(200, 'The event is stored.', 'WebhookReceipt', commonHeaders),
        ...problems(
          {
            400: 'The signature is not valid, or the request is not valid HTTP.',
            404: 'No webhook secret is set.',
            405: 'Only POST is allowed.',
            413: 'The body is larger than 256 KB.',
            414: 'The query string is longer than 4096 bytes.',
            431: 'The request header is too large.',
            500: 'Internal error.',
          },
          problemHeaders,
        ),
        ...problems(
          { 503: 'The service or a dependency is unavailable.' },
          { ...problemHeaders, ...retryAfter },
        ),
      },
    },
  },
});
