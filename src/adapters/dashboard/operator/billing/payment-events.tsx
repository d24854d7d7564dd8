import type { LinkCheckout } from '../../../../application/billing/link-checkout.js';
import type { ReplayEvent } from '../../../../application/billing/replay-event.js';
import type { ListedEvent, PaymentInbox } from '../../../../application/ports/billing/payment-inbox.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter } from '../../state.js';
import type { FormPage, OperatorVisit, Page, Visits } from '../../visit.js';
import { doneNotice } from '../accounts/action-text.js';
import { EVENTS_PATH, eventPath, tabPath } from '../addresses.js';
import { EventListPage, EventPage, type EventPageProps } from './payment-event-page.js';

const LISTED_MAX = 40;

export type PaymentEventParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly inbox: PaymentInbox;
  readonly replayEvent: ReplayEvent;
  readonly linkCheckout: LinkCheckout;
  readonly keyFormat: KeyFormat;
};

/** Payment events that were not applied, and their replay (D29). */
export function paymentEventRoutes(parts: PaymentEventParts): readonly PageRoute[] {
  const { visits, inbox, replayEvent, linkCheckout, keyFormat } = parts;

  const list: Page<OperatorVisit> = async (ctx, { viewer }) => {
    const [failed, waiting, ignored] = await Promise.all([
      inbox.list({ state: 'failed' }, LISTED_MAX),
      inbox.list({ state: 'waiting' }, LISTED_MAX),
      inbox.list({ state: 'ignored', hasReason: true }, LISTED_MAX),
    ]);
    answerPage(ctx, <EventListPage {...{ viewer, failed, waiting, ignored }} />);
  };

  const show: Page<OperatorVisit> = async (ctx, { viewer }) => {
    const event = await eventOf(ctx);
    if (event === null) return answerError(ctx, 'not found');
    const notice = doneNotice(parameter(ctx, 'done'));
    const checkout = await linkCheckout.offer(event);
    return answerPage(ctx, <EventPage {...{ viewer, event, checkout, notice }} fault={null} />);
  };

  const replay: FormPage<OperatorVisit> = async (ctx, { viewer, name }, form) => {
    const event = await eventOf(ctx);
    if (event === null) return answerError(ctx, 'not found');
    const typed = form.get('reason') ?? '';
    const reason = readReason(typed, keyFormat);
    if (typeof reason === 'object') {
      const props: EventPageProps = {
        viewer,
        event,
        checkout: await linkCheckout.offer(event),
        notice: null,
        fault: { typed: keyFormat.redact(typed), text: refusalText(reason) },
      };
      return answerPage(ctx, <EventPage {...props} />, 400);
    }
    const replayed = await replayEvent(event.id, reason, name);
    if (isRefusal(replayed)) return answerError(ctx, 'not found', refusalText(replayed));
    return goTo(ctx, `${afterReplay(replayed)}?done=replay-${replayed.state}`);
  };

  const eventOf = (ctx: Context) => inbox.find(ctx.params['id'] ?? '');

  return [
    { path: EVENTS_PATH, GET: visits.page(list) },
    { path: `${EVENTS_PATH}/:id`, GET: visits.page(show) },
    { path: `${EVENTS_PATH}/:id/replay`, POST: visits.form(replay) },
  ];
}

const afterReplay = ({ id, account }: ListedEvent): string =>
  account === null ? eventPath(id) : tabPath(account, 'payments');
