import type { PaymentEvents } from '../../../application/payment-events.js';
import {
  EVENT_STATES,
  type ListedEvent,
  type PaymentInbox,
} from '../../../application/ports/payment-inbox.js';
import type { ReadPaymentEvent } from '../../../application/ports/processor.js';
import type { AccountId } from '../../../domain/account.js';
import { values } from '../parameters.js';
import { answerRefusal } from '../problem.js';
import type { Context, RouteContext, RouteHandler } from '../state.js';

const LISTED_MAX = 100;

const eventJson = (event: ListedEvent) => ({
  event_id: event.id,
  type: event.type,
  created_at: event.at,
  received_at: event.receivedAt,
  state: event.state,
  fault: event.fault,
  account_id: event.account,
  processor_customer_id: event.customer,
});

const NO_EVENT = { refused: 'not_found', what: 'payment event' } as const;

const eventId = (ctx: RouteContext): string => ctx.params['id'] ?? '';

/** `/internal/v1/payment-events…`: what the processor said, and what became of it (D29). */
export function paymentEventHandlers(parts: {
  readonly inbox: PaymentInbox;
  readonly events: PaymentEvents;
  readonly read: ReadPaymentEvent;
}) {
  const { inbox, events, read } = parts;

  const show = async (ctx: Context, id: string): Promise<void> => {
    const event = await inbox.find(id);
    if (event === null) return answerRefusal(ctx, NO_EVENT);
    ctx.body = eventJson(event);
  };

  const list: RouteHandler = async (ctx) => {
    const [state, account] = [values(ctx.querystring, 'state')[0], values(ctx.querystring, 'account_id')[0]];
    const known = EVENT_STATES.find((one) => one === state);
    if (state !== undefined && known === undefined) {
      const message = `must be one of ${EVENT_STATES.join(', ')}`;
      const faults = [{ parameter: 'state', code: 'unknown', message }];
      return answerRefusal(ctx, { refused: 'invalid_parameter', faults });
    }
    const only = { ...(known && { state: known }), ...(account && { account: account as AccountId }) };
    ctx.body = { events: (await inbox.list(only, LISTED_MAX)).map(eventJson) };
  };

  return {
    list,
    get: (async (ctx) => show(ctx, eventId(ctx))) as RouteHandler,

    /** Read anew from what came: a newer version of the service may understand it. */
    replay: (async (ctx) => {
      const stored = await inbox.find(eventId(ctx));
      if (stored === null) return answerRefusal(ctx, NO_EVENT);
      // One that could not be read at all was given an id of ours, and keeps it.
      const event = { ...(await read(stored.payload)), id: stored.id };
      await events.replay(event);
      return show(ctx, stored.id);
    }) as RouteHandler,
  };
}

export type PaymentEventHandlers = ReturnType<typeof paymentEventHandlers>;
