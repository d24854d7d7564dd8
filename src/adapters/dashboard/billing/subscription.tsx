import type { OpenPortal } from '../../../application/billing/open-portal.js';
import type { ReadLimits } from '../../../application/limits/read-limits.js';
import type { Identities } from '../../../application/ports/sign-in/identities.js';
import type { Plans } from '../../../domain/billing/plan.js';
import { PORTAL_VISITS } from '../../../domain/limits/attempt.js';
import { isOwnLink } from '../form.js';
import { answerPage } from '../page/answer.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { goTo } from '../state.js';
import { type HolderVisit, type Page, PORTAL_PATH } from '../visit.js';
import { type CheckoutParts, checkoutMode, checkoutRoutes } from './checkout.js';
import { SUBSCRIPTION_PATH as PATH } from './checkout-page.js';
import { SubscriptionPage } from './subscription-page.js';

export type SubscriptionParts = CheckoutParts & {
  readonly readLimits: ReadLimits;
  readonly identities: Identities;
  readonly plans: Plans;
  /** Null without a payment processor. */
  readonly openPortal: OpenPortal | null;
  readonly publicUrl: () => string;
};

/** Plan, payments and limits of an account, and the link to the billing portal of the processor. */
export function subscriptionRoutes(parts: SubscriptionParts): readonly PageRoute[] {
  const { visits, readLimits, openPortal, publicUrl } = parts;

  const show: Page<HolderVisit> = async (ctx, visit) => {
    const { account, viewer, now } = visit;
    const [limits, identities] = await Promise.all([
      readLimits(account.subscription),
      parts.identities.of(account.id),
    ]);
    const checkout = checkoutMode(parts, account);
    const demo = parts.demo(PATH, visit);
    const { plans } = parts;
    const props = { viewer, account, plans, limits, identities, checkout, now, demo };
    answerPage(ctx, <SubscriptionPage {...props} />);
  };

  const leaveForPortal: Page<HolderVisit> = async (ctx, { account }) => {
    if (ctx.method !== 'GET' || !isOwnLink(ctx)) return goTo(ctx, PATH);
    const wait = await parts.countAttempt(account.id, PORTAL_VISITS);
    if (wait !== null) return answerTooMany(ctx, wait);
    const answer = await openPortal?.(account, `${publicUrl()}${PATH}`);
    switch (answer?.outcome) {
      case 'opened':
        return goTo(ctx, answer.url);
      case 'another email':
        return answerError(ctx, 'another email');
      case 'no customer':
      case undefined:
        return answerError(ctx, 'not found');
    }
  };

  return [
    { path: PATH, GET: visits.page(show) },
    { path: PORTAL_PATH, GET: visits.page(leaveForPortal) },
    ...checkoutRoutes(parts),
  ];
}
