import type { ReadUsage, ReadUsageHistory } from '../../../application/limits/read-usage-history.js';
import { usageCsv } from '../../../domain/limits/hourly-usage.js';
import { problemContext, refusalProblem } from '../answer/problem.js';
import { readParameters } from '../feed/read-parameters.js';
import { knownParameters } from '../ignored-parameters.js';
import { parameters } from '../parameters.js';
import type { RouteHandler } from '../state.js';
import { type PaidRouteParts, paidRoute } from './paid-route.js';
import { USAGE_HISTORY_PARAMETERS } from './usage-history-parameters.js';

type Parts = PaidRouteParts & { readonly readUsageHistory: ReadUsageHistory };

const CALL = { known: knownParameters(USAGE_HISTORY_PARAMETERS), vary: 'Authorization, X-API-Key' };

/** `GET /pm/v2/usage/history`: the requests of each hour of the last 30 days (D74). */
export const usageHistoryRoute = (parts: Parts): RouteHandler =>
  paidRoute(parts, CALL, async (ctx, { key }) => {
    const { values, faults } = readParameters(USAGE_HISTORY_PARAMETERS, parameters(ctx.querystring));
    if (faults.length > 0)
      return {
        problem: refusalProblem({ refused: 'invalid_parameter', faults }, problemContext(ctx)),
        isFree: false,
      };
    const read = await parts.readUsageHistory(key);
    ctx.set('Cache-Control', 'private, no-store');
    ctx.type = values.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8';
    ctx.body = values.format === 'csv' ? usageCsv(read.hours) : usageHistoryJson(read);
    return null;
  });

/** The schema is `UsageHistory`. */
const usageHistoryJson = ({ since, hours }: ReadUsage): string =>
  JSON.stringify({
    since,
    hours: hours.map(({ hour, key, requests }) => ({ hour, key_id: key, requests })),
  });
