import type { ComponentChildren } from 'preact';
import type { FeedStore } from '../../../application/ports/feed-store.js';
import type { UsageHistory } from '../../../application/ports/usage-history.js';
import { Unavailable } from '../../../application/unavailable.js';
import type { Moment } from '../../../domain/moment.js';
import { LAST_24_HOURS, LAST_30_DAYS, spanStart, usageOver } from '../../../domain/usage.js';
import { answerPage } from '../page/answer.js';
import type { PageRoute } from '../page-router.js';
import { parameter } from '../state.js';
import type { HolderVisit, Page, Visits } from '../visit.js';
import { UsagePage } from './usage-page.js';

const PATH = '/dashboard/usage';
const NEWEST = { before: null, since: null, newsId: null, marketId: null, count: 1 } as const;

export type UsageParts = {
  readonly visits: Visits<HolderVisit>;
  readonly usage: UsageHistory;
  readonly feed: FeedStore;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** What an account's keys were used for, by the hour and by the day. */
export function usageRoutes({ visits, usage, feed, demo }: UsageParts): readonly PageRoute[] {
  const show: Page<HolderVisit> = async (ctx, visit) => {
    const { account, viewer, now } = visit;
    const { keys } = account;
    const only = keys.find(({ id }) => id === parameter(ctx, 'key'))?.id ?? null;
    const [counts, head] = await Promise.all([
      usage.of(
        keys.map(({ id }) => id),
        spanStart(LAST_30_DAYS, now),
      ),
      headOf(feed),
    ]);
    const hours = usageOver(LAST_24_HOURS, counts, now, only);
    const days = usageOver(LAST_30_DAYS, counts, now, only);
    answerPage(
      ctx,
      <UsagePage {...{ viewer, keys, only, hours, days, head, now }} demo={demo(PATH, visit)} />,
    );
  };
  return [{ path: PATH, GET: visits.page(show) }];
}

/** Null also where nobody can say. */
async function headOf(feed: FeedStore): Promise<Moment | null> {
  try {
    return (await feed.page(NEWEST)).head;
  } catch (fault) {
    if (fault instanceof Unavailable) return null;
    throw fault;
  }
}
