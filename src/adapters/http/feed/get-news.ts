import type { ReadFeed } from '../../../application/feed/read-feed.js';
import { isRefusal } from '../../../domain/refusal.js';
import { answerRefusal } from '../answer/problem.js';
import type { Middleware } from '../state.js';
import type { FinishedPages } from './finished-pages.js';
import type { NewsQueries } from './news-parameters.js';

/** GET /pm/v2/news; the gateway has let the request through (public-api.ts). */
export const getNews =
  (readFeed: ReadFeed, queries: NewsQueries, pages: FinishedPages): Middleware =>
  async (ctx) => {
    const query = queries.read(ctx.querystring);
    if (isRefusal(query)) return answerRefusal(ctx, query);

    const { page, head, bytesOf } = await readFeed(query);
    ctx.set(PAGE_HEADERS);
    if (head !== null) ctx.set('Feed-Head', head);
    const { body, tag } = pages.of(page, query.marketId, bytesOf);
    ctx.set('ETag', tag);
    ctx.body = body;
  };

/** Of every page, whatever is on it (D36). */
export const PAGE_HEADERS = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, X-API-Key',
  'Content-Type': 'application/json; charset=utf-8',
} as const;
