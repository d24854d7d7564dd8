import type { ReadMarkets } from '../../../../application/feed/read-markets.js';
import { isRefusal } from '../../../../domain/refusal.js';
import { problemContext, refusalProblem } from '../../answer/problem.js';
import { type PaidRouteParts, paidRoute } from '../../limits/paid-route.js';
import type { RouteHandler } from '../../state.js';
import { marketsJson } from './markets-json.js';
import { MARKETS_KNOWN, marketsQuery } from './markets-parameters.js';

type Parts = PaidRouteParts & { readonly readMarkets: ReadMarkets };

const CALL = { known: MARKETS_KNOWN, vary: 'Authorization, X-API-Key' };

/** `GET /pm/v2/markets`: the directory of the markets of the feed (D63). */
export const marketsRoute = (parts: Parts): RouteHandler =>
  paidRoute(parts, CALL, async (ctx, { subscription }) => {
    const query = marketsQuery(ctx.querystring);
    if (isRefusal(query)) return { problem: refusalProblem(query, problemContext(ctx)), isFree: false };
    const page = await parts.readMarkets(query, subscription);
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = marketsJson(page, query.sort);
    return null;
  });
