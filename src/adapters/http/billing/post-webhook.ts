import type { PaymentEvents } from '../../../application/billing/payment-events.js';
import type { IsSigned, ReadPaymentEvent } from '../../../application/ports/billing/processor.js';
import type { Clock } from '../../../application/ports/clock.js';
import { answerProblem } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';

/** `POST /webhooks/stripe` (D29, D31): responds once the event and its changes are stored. */
export const postWebhook = (parts: {
  readonly isSigned: IsSigned;
  readonly readPaymentEvent: ReadPaymentEvent;
  readonly paymentEvents: PaymentEvents;
  readonly clock: Clock;
}): RouteHandler => {
  const { isSigned, readPaymentEvent, paymentEvents, clock } = parts;
  return async (ctx) => {
    const { body: payload } = ctx.state;
    if (!Buffer.isBuffer(payload)) return answerProblem(ctx, 'payload_too_large');
    if (!isSigned(payload, ctx.get('Stripe-Signature'), clock())) {
      return answerProblem(ctx, 'invalid_signature');
    }
    const { state } = await paymentEvents.receive(await readPaymentEvent(payload));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { state };
  };
};
