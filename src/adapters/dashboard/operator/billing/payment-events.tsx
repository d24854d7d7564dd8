import type { SearchConsole } from '../../../../application/accounts/search-console.js';
import type { LinkCheckout } from '../../../../application/billing/link-checkout.js';
import type { ReplayEvent } from '../../../../application/billing/replay-event.js';
import type {
  ListedEvent,
  PaymentInbox,
  StoredEvent,
} from '../../../../application/ports/billing/payment-inbox.js';
import type { EventDetails, ReadEventDetails } from '../../../../application/ports/billing/processor.js';
import type { Account } from '../../../../domain/accounts/account.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { refusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo, parameter, type Viewer } from '../../state.js';
import type { FormPage, OperatorVisit, Page, Visits } from '../../visit.js';
import { doneNotice } from '../accounts/action-text.js';
import { customerLinkPathOf, EVENTS_PATH, eventPath, tabPath } from '../addresses.js';
import { EventListPage, EventPage, type EventPageProps } from './payment-event-page.js';

const LISTED_MAX = 40;

export type PaymentEventParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly inbox: PaymentInbox;
  readonly replayEvent: ReplayEvent;
  readonly linkCheckout: LinkCheckout;
  readonly readEventDetails: ReadEventDetails;
  readonly searchConsole: SearchConsole;
  readonly keyFormat: KeyFormat;
};

/** Payment events that were not applied, and their replay (D29). */
export function paymentEventRoutes(parts: PaymentEventParts): readonly PageRoute[] {
  const { visits, inbox, replayEvent, keyFormat } = parts;

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
    return answerPage(ctx, <EventPage {...(await shown(viewer, event))} notice={notice} />);
  };

  const replay: FormPage<OperatorVisit> = async (ctx, { viewer, name }, form) => {
    const event = await eventOf(ctx);
    if (event === null) return answerError(ctx, 'not found');
    const typed = form.get('reason') ?? '';
    const reason = readReason(typed, keyFormat);
    if (typeof reason === 'object') {
      const fault = { typed: keyFormat.redact(typed), text: refusalText(reason) };
      return answerPage(ctx, <EventPage {...(await shown(viewer, event))} fault={fault} />, 400);
    }
    const replayed = await replayEvent(event.id, reason, name);
    if (isRefusal(replayed)) return answerError(ctx, 'not found', refusalText(replayed));
    return goTo(ctx, `${afterReplay(replayed)}?done=replay-${replayed.state}`);
  };

  const shown = shownEvent(parts);
  const eventOf = (ctx: Context) => inbox.find(ctx.params['id'] ?? '');

  return [
    { path: EVENTS_PATH, GET: visits.page(list) },
    { path: `${EVENTS_PATH}/:id`, GET: visits.page(show) },
    { path: `${EVENTS_PATH}/:id/replay`, POST: visits.form(replay) },
    accountChoiceRoute(parts),
  ];
}

/** Opens the form that links the customer of the event to the account that was sent. */
function accountChoiceRoute(parts: PaymentEventParts): PageRoute {
  const { visits, inbox, searchConsole, keyFormat } = parts;
  const shown = shownEvent(parts);
  const choose: FormPage<OperatorVisit> = async (ctx, { viewer }, form) => {
    const event = await inbox.find(ctx.params['id'] ?? '');
    if (event === null) return answerError(ctx, 'not found');
    const sent = form.get('account') ?? '';
    const { accounts } = await searchConsole(sent);
    const account = namedBy(sent, accounts);
    if (account !== undefined && event.customer !== null)
      return goTo(ctx, customerLinkPathOf(account.id, event.customer));
    const fault = accounts.length === 0 ? NO_ACCOUNT : SEVERAL_ACCOUNTS;
    const choice = { typed: keyFormat.redact(sent), fault };
    return answerPage(ctx, <EventPage {...(await shown(viewer, event))} choice={choice} />, 400);
  };

  return { path: `${EVENTS_PATH}/:id/account`, POST: visits.form(choose) };
}

const shownEvent =
  ({ linkCheckout, readEventDetails, keyFormat }: PaymentEventParts) =>
  async (viewer: Viewer, event: StoredEvent): Promise<EventPageProps> => ({
    ...{ viewer, event, choice: null, notice: null, fault: null },
    checkout: await linkCheckout.offer(event),
    details: redacted(readEventDetails(event.payload), keyFormat),
  });

/** The beginning of an address finds others too: the whole address decides, or else there must be only one. */
const namedBy = (sent: string, found: readonly Account[]): Account | undefined =>
  found.find(({ email }) => email === sent.trim().toLowerCase()) ??
  (found.length === 1 ? found[0] : undefined);

const NO_ACCOUNT = 'No account has this email address or ID.';
const SEVERAL_ACCOUNTS = 'Several accounts fit. Send the whole email address or the ID of the account.';

/** A customer can put any text into a reference, also a key (D19). */
const redacted = ({ object, reference, email }: EventDetails, { redact }: KeyFormat): EventDetails => ({
  ...{ object, email },
  reference: reference === null ? null : redact(reference),
});

const afterReplay = ({ id, account }: ListedEvent): string =>
  account === null ? eventPath(id) : tabPath(account, 'payments');
