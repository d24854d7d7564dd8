import type { LinkCheckout, RefusedCheckout } from '../../../../application/billing/link-checkout.js';
import type { PaymentInbox, StoredEvent } from '../../../../application/ports/billing/payment-inbox.js';
import { readReason } from '../../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../../domain/keys/key-value.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { answerPage } from '../../page/answer.js';
import { answerError } from '../../page/error-page.js';
import { accountRefusalText } from '../../page/refusal-text.js';
import type { PageRoute } from '../../page-router.js';
import { type Context, goTo } from '../../state.js';
import type { OperatorVisit, Visits } from '../../visit.js';
import { accountPath, EVENTS_PATH } from '../addresses.js';
import { CheckoutLinkPage } from './checkout-link-page.js';

export type CheckoutLinkParts = {
  readonly visits: Visits<OperatorVisit>;
  readonly inbox: PaymentInbox;
  readonly linkCheckout: LinkCheckout;
  readonly keyFormat: KeyFormat;
};

/** Handles a request about a checkout that an operator may link. */
type CheckoutHandler<More extends readonly unknown[]> = (
  ctx: Context,
  visit: OperatorVisit,
  event: StoredEvent,
  checkout: RefusedCheckout,
  ...more: More
) => Promise<void> | void;

/** Links the customer of a checkout with a refused reference: by an operator, with a recorded reason (D25). */
export function checkoutLinkRoutes(parts: CheckoutLinkParts): readonly PageRoute[] {
  const { visits, inbox, linkCheckout, keyFormat } = parts;

  const withCheckout =
    <More extends readonly unknown[]>(take: CheckoutHandler<More>) =>
    async (ctx: Context, visit: OperatorVisit, ...more: More): Promise<void> => {
      const event = await inbox.find(ctx.params['id'] ?? '');
      const checkout = event === null ? null : await linkCheckout.offer(event);
      if (event === null || checkout === null) return answerError(ctx, 'not found');
      return take(ctx, visit, event, checkout, ...more);
    };

  const ask: CheckoutHandler<[]> = (ctx, { viewer }, event, checkout) =>
    answerPage(ctx, <CheckoutLinkPage {...{ viewer, event, checkout }} fault={null} />);

  const take: CheckoutHandler<[URLSearchParams]> = async (ctx, { viewer, name }, event, checkout, form) => {
    const typed = form.get('reason') ?? '';
    const reason = readReason(typed, keyFormat);
    const answer = typeof reason === 'object' ? reason : await linkCheckout.link(event, reason, name);
    if (!isRefusal(answer)) return goTo(ctx, `${accountPath(checkout.account.id)}?done=link-${answer.state}`);
    const fault = { typed: keyFormat.redact(typed), text: accountRefusalText(answer, checkout.account) };
    const status = answer.refused === 'invalid_body' ? 400 : 409;
    return answerPage(ctx, <CheckoutLinkPage {...{ viewer, event, checkout, fault }} />, status);
  };

  return [
    {
      path: `${EVENTS_PATH}/:id/link`,
      GET: visits.page(withCheckout(ask)),
      POST: visits.form(withCheckout(take)),
    },
  ];
}
