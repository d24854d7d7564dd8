import type { PaymentEvents } from '../../../application/payment-events.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { IsSigned, ReadPaymentEvent } from '../../../application/ports/processor.js';
import { wholeBody } from '../body.js';
import { answerProblem } from '../problem.js';
import type { RouteHandler } from '../state.js';

/** Bytes of an event; and of a body that is larger, so much is read before it is refused (D29). */
const BODY_MAX = 256 * 1_024;
const DRAINED_MAX = 1_024 * 1_024;

/** `POST /webhooks/stripe` (D29, D31): answered once the event is stored, and what it changes with it. */
export const postWebhook =
  (parts: {
    readonly isSigned: IsSigned;
    readonly read: ReadPaymentEvent;
    readonly events: PaymentEvents;
    readonly clock: Clock;
  }): RouteHandler =>
  async (ctx) => {
    const payload = await wholeBody(ctx, BODY_MAX, DRAINED_MAX);
    if (payload === null) return;
    if (!parts.isSigned(payload, ctx.get('Stripe-Signature'), parts.clock())) {
      return answerProblem(ctx, 'invalid_signature');
    }
    const { state } = await parts.events.receive(await parts.read(payload));
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { state };
  };
