import type { ComponentChildren } from 'preact';
import type { ReadFeedHead } from '../../../application/feed/read-feed-head.js';
import type { QuotaMails } from '../../../application/limits/quota-mails.js';
import type { ReadLimits } from '../../../application/limits/read-limits.js';
import type { ReadUsageHistory } from '../../../application/limits/read-usage-history.js';
import type { RecentRequests } from '../../../application/limits/recent-requests.js';
import type { UsageHistory } from '../../../application/ports/limits/usage-history.js';
import type { ApiKey } from '../../../domain/keys/api-key.js';
import { usageCsv } from '../../../domain/limits/hourly-usage.js';
import { countsOfLog } from '../../../domain/limits/request-statistics.js';
import {
  LAST_30_DAYS,
  spanStart,
  totalOf,
  USAGE_RANGES,
  USAGE_SPANS,
  type UsageRange,
  usageOver,
} from '../../../domain/limits/usage.js';
import { answerPage } from '../page/answer.js';
import { Layout } from '../page/layout.js';
import type { PageRoute } from '../page-router.js';
import { type Context, goTo, parameter } from '../state.js';
import type { FormPage, HolderVisit, Page, Visits } from '../visit.js';
import type { RemedyOf } from './refusals.js';
import { RequestLog, requestFilter } from './request-log.js';
import { UsagePage } from './usage-page.js';

const PATH = '/dashboard/usage';
const LOG_PATH = '/dashboard/usage/log';
const DEFAULT_RANGE: UsageRange = '24h';

export type UsageParts = {
  readonly visits: Visits<HolderVisit>;
  readonly usage: UsageHistory;
  readonly recentRequests: Pick<RecentRequests, 'of'>;
  readonly readUsageHistory: ReadUsageHistory;
  readonly readLimits: ReadLimits;
  readonly quotaMails: Pick<QuotaMails, 'switch'>;
  readonly readFeedHead: ReadFeedHead;
  readonly remedyOf: RemedyOf;
  readonly publicUrl: () => string;
  readonly demo: (back: string, visit: HolderVisit) => ComponentChildren;
};

/** What was requested with the keys of an account, and why requests failed. */
export const usageRoutes = (parts: UsageParts): readonly PageRoute[] => {
  const { page, form } = parts.visits;
  return [
    { path: PATH, GET: page(showUsage(parts)) },
    { path: LOG_PATH, GET: page(showLog(parts)) },
    { path: `${PATH}/quota-mails`, POST: form(switchQuotaMails(parts)) },
    { path: `${PATH}.csv`, GET: page(exportUsage(parts)) },
  ];
};

const showUsage =
  (parts: UsageParts): Page<HolderVisit> =>
  async (ctx, visit) => {
    const { account, viewer, now } = visit;
    const range = USAGE_RANGES.find((one) => one === parameter(ctx, 'range')) ?? DEFAULT_RANGE;
    const { keys, only, chosen } = keysOf(ctx, visit);
    const ids = keys.map(({ id }) => id);
    const [counted, requests, limits, head] = await Promise.all([
      parts.usage.of(ids, spanStart(USAGE_SPANS[range === '1h' ? '24h' : range], now)),
      parts.recentRequests.of(chosen),
      parts.readLimits(account.subscription),
      parts.readFeedHead(),
    ]);
    const counts = range === '1h' ? countsOfLog(requests) : counted;
    const span = USAGE_SPANS[range];
    const props = {
      ...{ viewer, range, only, requests, head, now, remedyOf: parts.remedyOf },
      buckets: usageOver(span, counts, now, only),
      byKey: keys.map((key) => ({ key, ...totalOf(usageOver(span, counts, now, key.id)) })),
      log: logOf(ctx, only, range),
      day: limits?.find(({ policy }) => policy.name === 'day') ?? null,
      hasQuotaMails: account.quotaMailsOff !== true,
      publicUrl: parts.publicUrl(),
      demo: parts.demo(PATH, visit),
    };
    answerPage(ctx, <UsagePage {...props} />);
  };

/** The log alone. The script of the usage page gets the newest requests from here. */
const showLog =
  (parts: UsageParts): Page<HolderVisit> =>
  async (ctx, visit) => {
    const { keys, only, chosen } = keysOf(ctx, visit);
    const requests = await parts.recentRequests.of(chosen);
    const range = USAGE_RANGES.find((one) => one === parameter(ctx, 'range')) ?? DEFAULT_RANGE;
    answerPage(
      ctx,
      <Layout title="Requests" viewer={visit.viewer} activePath={PATH} modules={['request-log.js']}>
        <RequestLog {...{ ...logOf(ctx, only, range), requests, keys, now: visit.now }} />
      </Layout>,
    );
  };

/** The same file as `GET /pm/v2/usage/history?format=csv`; of one key, if one is chosen. */
const exportUsage =
  ({ readUsageHistory }: UsageParts): Page<HolderVisit> =>
  async (ctx, visit) => {
    const { only } = keysOf(ctx, visit);
    const [key] = visit.account.keys;
    const hours = key === undefined ? [] : (await readUsageHistory(key.id)).hours;
    ctx.set('Cache-Control', 'no-store');
    ctx.set('Content-Disposition', 'attachment; filename="usage.csv"');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = usageCsv(hours.filter((row) => only === null || row.key === only));
  };

/** Switches the mails about the quota of the day on or off (D73). */
const switchQuotaMails =
  ({ quotaMails }: UsageParts): FormPage<HolderVisit> =>
  async (ctx, { account }, sent) => {
    await quotaMails.switch(account.id, sent.get('mails') === 'on');
    goTo(ctx, `${PATH}#quota-mails`);
  };

/** The keys that can have requests in 30 days, and the chosen ones among them: one, or all. */
function keysOf(ctx: Context, { account, now }: HolderVisit) {
  const since = spanStart(LAST_30_DAYS, now);
  const keys: readonly ApiKey[] = account.keys.filter(
    ({ state }) => state.status !== 'revoked' || state.worksUntil >= since,
  );
  const only = keys.find(({ id }) => id === parameter(ctx, 'key'))?.id ?? null;
  return { keys, only, chosen: only === null ? keys.map(({ id }) => id) : [only] };
}

function logOf(ctx: Context, only: ApiKey['id'] | null, range: UsageRange) {
  const parameters = { ...(range !== DEFAULT_RANGE && { range }), ...(only !== null && { key: only }) };
  const query = new URLSearchParams(ctx.querystring);
  return {
    filter: requestFilter(query),
    address: { path: PATH, parameters },
    source: `${LOG_PATH}${query.size === 0 ? '' : `?${query}`}`,
  };
}
