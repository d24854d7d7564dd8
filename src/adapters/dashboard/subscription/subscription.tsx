import type { ComponentChildren } from 'preact';

import type { CountAttempt } from '../../../application/count-attempt.js';

import type { Identities } from '../../../application/ports/identities.js';

import type { OpenPortal } from '../../../application/ports/processor.js';
import type { ReadLimits } from '../../../application/read-limits.js';
import { PORTAL_VISITS } from '../../../domain/attempt.js';
import { isOwnLink } from '../form.js';
import { answerPage } from '../page/answer.js';
import { answerError, answerTooMany } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { goTo } from '../state.js';
import type { HolderVisit, Page, Visits } from '../visit.js';
import { SubscriptionPage } from './subscription-page.js';

const PATH = '/dashboard/subscription';

export type SubscriptionParts = {
  readonly visits: Visits<HolderVisit>;
  readonly readLimits: ReadLimits;
  readonly countAttempt: CountAttempt;
  readonly identities: Identities;
  /** Null where there is no processor. */
  readonly openPortal: OpenPortal | null;
  readonly publicUrl: () => string;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** Plan, payments and limits of an account, and the way to the processor's own pages. */
export function subscriptionRoutes(parts: SubscriptionParts): readonly PageRoute[] {
  const { visits, readLimits, openPortal, publicUrl } = parts;

  const show: Page<HolderVisit> = async (ctx, visit) => {
    const { account, viewer, now } = visit;
    const [limits, identities] = await Promise.all([
      readLimits(account.subscription),
      parts.identities.of(account.id),
    ]);
    const hasPortal = openPortal !== null && account.processorCustomerId !== null;
    const demo = parts.demo(PATH, visit);
    answerPage(ctx, <SubscriptionPage {...{ viewer, account, limits, identities, hasPortal, now, demo }} />);
  };

  const leaveForPortal: Page<HolderVisit> = async (ctx, { account }) => {
    if (ctx.method !== 'GET' || !isOwnLink(ctx)) return goTo(ctx, PATH);
    const wait = await parts.countAttempt(account.id, PORTAL_VISITS);
    if (wait !== null) return answerTooMany(ctx, wait);
    const customer = account.processorCustomerId;
    const url = customer === null ? null : await openPortal?.(customer, `${publicUrl()}${PATH}`);
    return url ? goTo(ctx, url) : answerError(ctx, 'not found');
  };

  return [
    { path: PATH, GET: visits.page(show) },
    { path: `${PATH}/portal`, GET: visits.page(leaveForPortal) },
  ];
}
