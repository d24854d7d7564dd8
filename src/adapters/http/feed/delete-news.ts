import type { FeedWriter } from '../../../application/ports/feed/feed-store.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteHandler } from '../state.js';
import type { PublicationCounts } from './counted-publications.js';

/** DELETE /internal/v1/news/{id} (D11, D30). */
export const deleteNews =
  (feed: FeedWriter, counts: PublicationCounts): RouteHandler =>
  async (ctx) => {
    const isKnown = await feed.retract(ctx.params['id'] ?? '');
    if (!isKnown) return answerRefusal(ctx, { refused: 'not_found', what: 'item' });
    counts.publications('retracted', 1);
    ctx.status = 204;
  };
