import type { ReplayEvent } from '../../../application/billing/replay-event.js';
import {
  EVENT_STATES,
  type ListedEvent,
  type PaymentInbox,
} from '../../../application/ports/billing/payment-inbox.js';
import type { AccountId } from '../../../domain/accounts/account.js';
import { type Fault, isRefusal, type Refusal } from '../../../domain/refusal.js';
import { OPERATOR } from '../accounts/accounts.js';
import { answerRefusal } from '../answer/problem.js';
import { values } from '../parameters.js';
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

const NO_EVENT: Refusal = { refused: 'not_found', what: 'payment event' };

const eventId = (ctx: RouteContext): string => ctx.params['id'] ?? '';

/** `/internal/v1/payment-events…`: lists, reads and replays payment events (D29). */
export function paymentEventHandlers(parts: {
  readonly inbox: PaymentInbox;
  readonly replayEvent: ReplayEvent;
}) {
  const { inbox, replayEvent } = parts;

  const show = (ctx: Context, event: ListedEvent | Refusal): void => {
    if (isRefusal(event)) answerRefusal(ctx, event);
    else ctx.body = eventJson(event);
  };

  const list: RouteHandler = async (ctx) => {
    const [state, account] = [values(ctx.querystring, 'state')[0], values(ctx.querystring, 'account_id')[0]];
    const known = EVENT_STATES.find((one) => one === state);
    if (state !== undefined && known === undefined) {
      const message = `must be one of ${EVENT_STATES.join(', ')}`;
      const fault: Fault = { parameter: 'state', code: 'unknown', message };
      return answerRefusal(ctx, { refused: 'invalid_parameter', faults: [fault] });
    }
    const only = { ...(known && { state: known }), ...(account && { account: account as AccountId }) };
    ctx.body = { events: (await inbox.list(only, LISTED_MAX)).map(eventJson) };
  };

  return {
    list,
    get: (async (ctx) => show(ctx, (await inbox.find(eventId(ctx))) ?? NO_EVENT)) as RouteHandler,
    replay: (async (ctx) => show(ctx, await replayEvent(eventId(ctx), null, OPERATOR))) as RouteHandler,
  };
}
