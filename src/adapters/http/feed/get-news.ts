import type { ReadFeed } from '../../../application/read-feed.js';
import { isRefusal } from '../../../domain/refusal.js';
import { answerRefusal } from '../problem.js';
import type { Middleware } from '../state.js';
import { FinishedPages } from './finished-pages.js';
import { newsQuery } from './news-parameters.js';

/** GET /pm/v2/news; the gateway has let the request through (public-api.ts). */
export const getNews = (readFeed: ReadFeed): Middleware => {
  const pages = new FinishedPages();
  return async (ctx) => {
    const query = newsQuery(ctx.querystring);
    if (isRefusal(query)) return answerRefusal(ctx, query);

    const { page, head, bytesOf } = await readFeed(query);
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.set('Vary', 'Authorization, X-API-Key');
    if (head !== null) ctx.set('Feed-Head', head);
    const { body, tag } = pages.of(page, query.marketId, bytesOf);
    ctx.set('ETag', tag);
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    ctx.body = body;
  };
};
