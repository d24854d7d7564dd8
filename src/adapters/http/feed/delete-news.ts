import type { PurgeNews } from '../../../application/feed/purge-news.js';
import type { FeedWriter } from '../../../application/ports/feed/feed-store.js';
import type { Reason } from '../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { OPERATOR } from '../accounts/accounts.js';
import { takesReason } from '../accounts/reason-body.js';
import { answerRefusal } from '../answer/problem.js';
import { values } from '../parameters.js';
import type { Middleware, RouteContext, RouteHandler } from '../state.js';
import type { PublicationCounts } from './counted-publications.js';

type Parts = {
  readonly feed: Pick<FeedWriter, 'retract'>;
  readonly metrics: PublicationCounts;
  readonly purgeNews: PurgeNews;
  readonly keyFormat: KeyFormat;
};

/**
 * DELETE /internal/v1/news/{id}: a retraction by the publisher (D11, D30), or with `purge=true` a purge by an operator (D62). Any
 * other value is a mistake: the sender wants no retraction.
 */
export function deleteNews(publisher: Middleware, operator: Middleware, parts: Parts): RouteHandler {
  const [retract, purge] = [retraction(parts), purging(parts)];
  return async (ctx, next) => {
    const sent = values(ctx.querystring, 'purge');
    const isPurge = sent.length === 1 && sent[0] === 'true';
    if (isPurge) return operator(ctx, async () => purge(ctx, next));
    return publisher(ctx, async () => (sent.length > 0 ? answerRefusal(ctx, NOT_TRUE) : retract(ctx, next)));
  };
}

const NOT_TRUE = {
  refused: 'invalid_parameter',
  faults: [{ parameter: 'purge', code: 'not_allowed', message: 'must be true, given once, or absent' }],
} as const;

const retraction =
  ({ feed, metrics }: Parts): RouteHandler =>
  async (ctx) => {
    const isKnown = await feed.retract(idOf(ctx));
    if (!isKnown) return answerRefusal(ctx, UNKNOWN);
    metrics.publications('retracted', 1);
    ctx.status = 204;
  };

const purging = ({ purgeNews, keyFormat }: Parts): RouteHandler =>
  takesReason(keyFormat)<{ readonly reason: Reason }>('Purge', async (ctx, { reason }) => {
    const purge = await purgeNews(idOf(ctx), { actor: OPERATOR, reason });
    if (purge === 'unknown') return answerRefusal(ctx, UNKNOWN);
    ctx.status = 204;
  });

const idOf = (ctx: RouteContext): string => ctx.params['id'] ?? '';

const UNKNOWN = { refused: 'not_found', what: 'item' } as const;
