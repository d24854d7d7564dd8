import type { FeedStore } from '../../../application/ports/feed/feed-store.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';

/** DELETE /internal/v1/news/{id} (D11, D30). */
export const deleteNews =
  (feed: FeedStore): RouteHandler =>
  async (ctx) => {
    if (await feed.retract(ctx.params['id'] ?? '')) ctx.status = 204;
    else answerRefusal(ctx, { refused: 'not_found', what: 'item' });
  };
