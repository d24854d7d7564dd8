import type { ComponentChildren } from 'preact';
import type { ReadFeedHead } from '../../../application/feed/read-feed-head.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import { LAST_24_HOURS, LAST_30_DAYS, spanStart, totalOf, usageOver } from '../../../domain/limits/usage.js';
import { answerPage } from '../page/answer.js';
import type { PageRoute } from '../page-router.js';
import { parameter } from '../state.js';
import type { HolderVisit, Page, Visits } from '../visit.js';
import { UsagePage } from './usage-page.js';

const PATH = '/dashboard/usage';

export type UsageParts = {
  readonly visits: Visits<HolderVisit>;
  readonly usage: UsageHistory;
  readonly readFeedHead: ReadFeedHead;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** Requests with the keys of an account, by hour and by day. */
export function usageRoutes({ visits, usage, readFeedHead, demo }: UsageParts): readonly PageRoute[] {
  const show: Page<HolderVisit> = async (ctx, visit) => {
    const { account, viewer, now } = visit;
    const since = spanStart(LAST_30_DAYS, now);
    const keys = account.keys.filter(({ state }) => state.status !== 'revoked' || state.worksUntil >= since);
    const only = keys.find(({ id }) => id === parameter(ctx, 'key'))?.id ?? null;
    const [counts, head] = await Promise.all([
      usage.of(
        keys.map(({ id }) => id),
        since,
      ),
      readFeedHead(),
    ]);
    const hours = usageOver(LAST_24_HOURS, counts, now, only);
    const days = usageOver(LAST_30_DAYS, counts, now, only);
    const byKey = keys.map((key) => ({
      key,
      ...totalOf(usageOver(LAST_30_DAYS, counts, now, key.id)),
    }));
    answerPage(
      ctx,
      <UsagePage {...{ viewer, byKey, only, hours, days, head, now }} demo={demo(PATH, visit)} />,
    );
  };
  return [{ path: PATH, GET: visits.page(show) }];
}
