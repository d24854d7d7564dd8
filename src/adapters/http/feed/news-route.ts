import type { SentKeys } from '../keys/sent-keys.js';
import { type CountRequest, countAnswered } from '../limits/request-count.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { RouteHandler } from '../state.js';
import type { AnswerNews } from './answer-news.js';

/** `GET` and `HEAD` of the page in Koa, for requests that a middleware may answer or change (`every-route.ts`). */
export const newsRoute =
  (parts: {
    readonly answerNews: AnswerNews;
    readonly sentKeys: SentKeys;
    readonly count: CountRequest;
  }): RouteHandler =>
  async (ctx) => {
    const { req: request, state, querystring } = ctx;
    const headers = readHeaders(request.rawHeaders);
    const sent = parts.sentKeys.of(request.socket, headers, querystring);
    const { address, requestId } = state;
    const startedAt = parts.count.clock();
    const answer = await parts.answerNews(
      { querystring, headers, sent, address: rangesOf(address), requestId },
      state,
    );
    state.limits = answer.limits;
    state.code = answer.code;
    ctx.status = answer.status;
    for (let i = 0; i < answer.headers.length; i += 2) {
      ctx.set(answer.headers[i] ?? '', answer.headers[i + 1] ?? '');
    }
    ctx.body = answer.body;
    countAnswered(parts.count, ctx.res, state.key, answer.status, startedAt);
  };
