import type { ComponentChildren } from 'preact';
import type { MakeCheckoutReference } from '../../../application/billing/make-checkout-reference.js';
import type { CountAttempt } from '../../../application/limits/count-attempt.js';
import type { CheckoutUrl } from '../../../application/ports/billing/processor.js';
import type { Account } from '../../../domain/accounts/account.js';
import type { IssuedReference } from '../../../domain/billing/checkout-reference.js';
import { CHECKOUT_REFERENCES } from '../../../domain/limits/attempt.js';
import { isRefusal } from '../../../domain/refusal.js';
import { isOwnLink } from '../form.js';
import { answerPage } from '../page/answer.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo } from '../state.js';
import type { FormPage, HolderVisit, Page, Visits } from '../visit.js';
import {
  CHECKOUT_PATH,
  type CheckoutMode,
  CheckoutReferencePage,
  SUBSCRIPTION_PATH,
} from './checkout-page.js';

export type CheckoutParts = {
  readonly visits: Visits<HolderVisit>;
  readonly countAttempt: CountAttempt;
  /** Null if payments are not configured. */
  readonly makeCheckoutReference: MakeCheckoutReference | null;
  /** Null if no payment link is configured: the page then shows the reference to copy. */
  readonly checkoutUrl: CheckoutUrl | null;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** Null for an account that is already a customer: it manages its subscription at the payment processor. */
export const checkoutMode = (
  { makeCheckoutReference, checkoutUrl }: CheckoutParts,
  { processorCustomerId }: Account,
): CheckoutMode => {
  if (makeCheckoutReference === null || processorCustomerId !== null) return null;
  return checkoutUrl === null ? 'reference' : 'link';
};

/** Leads to a checkout that links its customer to this account. */
export function checkoutRoutes(parts: CheckoutParts): readonly PageRoute[] {
  const { visits, checkoutUrl } = parts;

  const leave: Page<HolderVisit> = async (ctx, { account }) => {
    if (account.processorCustomerId !== null) return goTo(ctx, SUBSCRIPTION_PATH);
    if (checkoutMode(parts, account) !== 'link') return answerError(ctx, 'not found');
    if (ctx.method !== 'GET' || !isOwnLink(ctx)) return goTo(ctx, SUBSCRIPTION_PATH);
    const issued = await referenceFor(ctx, account, parts);
    if (issued !== null && checkoutUrl !== null) goTo(ctx, checkoutUrl(issued.reference, account.email));
  };

  const show: FormPage<HolderVisit> = async (ctx, visit) => {
    const { account, viewer } = visit;
    if (account.processorCustomerId !== null) return goTo(ctx, SUBSCRIPTION_PATH);
    if (checkoutMode(parts, account) !== 'reference') return answerError(ctx, 'not found');
    const issued = await referenceFor(ctx, account, parts);
    if (issued === null) return;
    const demo = parts.demo(SUBSCRIPTION_PATH, visit);
    answerPage(ctx, <CheckoutReferencePage {...{ viewer, issued, demo }} />, 201);
  };

  return [{ path: CHECKOUT_PATH, GET: visits.page(leave), POST: visits.form(show) }];
}

/** Null, with an answer sent, after too many attempts, or if the account has become a customer. */
async function referenceFor(
  ctx: Context,
  { id }: Account,
  { countAttempt, makeCheckoutReference }: CheckoutParts,
): Promise<IssuedReference | null> {
  const wait = await countAttempt(id, CHECKOUT_REFERENCES);
  if (wait !== null) {
    await answerTooMany(ctx, wait);
    return null;
  }
  const issued = await makeCheckoutReference?.(id);
  if (issued !== undefined && !isRefusal(issued)) return issued;
  goTo(ctx, SUBSCRIPTION_PATH);
  return null;
}
