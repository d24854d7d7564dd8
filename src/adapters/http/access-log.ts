import type { ServerResponse } from 'node:http';
import type { KeyId } from '../../domain/keys/api-key.js';
import { parameters } from './parameters.js';
import type { Middleware } from './state.js';

/** What requests are told apart by in the metrics. */
type RequestLabels = {
  readonly method: string;
  /** The route that answered; `none` for paths that nobody serves. */
  readonly route: string;
  readonly status: number;
};

/** What is kept of a request once it is over: one line of the log. */
type AccessRecord = RequestLabels & {
  readonly request_id: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds, rounded to whole microseconds. */
  readonly duration_ms: number;
  readonly address: string;
  readonly key_id: KeyId | null;
  /** The caller went away before the answer was out. */
  readonly aborted: boolean;
};

/** Where what is seen of requests goes. */
export type RequestLog = {
  /** Null where the log is set to say less than that: then nothing is put together either. */
  readonly record: ((record: AccessRecord) => void) | null;
  /** The same for requests that our own pages repeat while somebody looks at them: at a lower level. */
  readonly recordPoll: ((record: AccessRecord) => void) | null;
  readonly measure: (labels: RequestLabels, seconds: number) => void;
  /** Cuts out whatever looks like a key, wherever a caller put it (T12). */
  readonly redact: (text: string) => string;
};

/** What is known of a request when it is over. */
type Asked = {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly querystring: string;
  readonly address: string;
  readonly key: KeyId | null;
};

/** Parameters whose values are worth a line; `api_key` never is (D19, T12). */
const LOGGED = new Set(['limit', 'cursor', 'since', 'news_id', 'market_id', 'mode']);

/** No answer went out, so no status did; the number that proxies write for that. */
const GONE_BEFORE_ANSWER = 499;

/** Waits for the end of an answer and keeps what there is to keep. */
export function logAnswer(requestLog: RequestLog, response: ServerResponse, asked: () => Asked): void {
  const startedAt = performance.now();
  response.on('close', () => {
    const request = asked();
    const durationMs = performance.now() - startedAt;
    const { requestId, method, route, path, querystring, address, key } = request;
    const status = response.headersSent ? response.statusCode : GONE_BEFORE_ANSWER;
    requestLog.measure({ method, route, status }, durationMs / 1_000);
    requestLog.record?.({
      request_id: requestId,
      method,
      path,
      query: loggedQuery(querystring, requestLog.redact),
      route,
      status,
      duration_ms: Math.round(durationMs * 1_000) / 1_000,
      address: requestLog.redact(address),
      key_id: key,
      aborted: !response.writableFinished,
    });
  });
}

/** The script that keeps pages up to date sends it with the value `1` (`dashboard/browser/live.ts`). */
export const POLL_HEADER = 'X-Page-Poll';

/** The routes of the pages that run this script. */
export const POLLED_ROUTES: ReadonlySet<string> = new Set([
  '/dashboard/keys',
  '/dashboard/keys/:id/rotation',
]);

/** Anybody can send the header; only a page that was answered, and so needs a session, is logged at the lower level. */
const isAnsweredPage = ({ method, route, status }: RequestLabels): boolean =>
  method === 'GET' && status === 200 && POLLED_ROUTES.has(route);

export const accessLog = (requestLog: RequestLog): Middleware => {
  const pollLog: RequestLog = {
    ...requestLog,
    record: (record) => (isAnsweredPage(record) ? requestLog.recordPoll : requestLog.record)?.(record),
  };
  return (ctx, next) => {
    const asked = () => ({
      requestId: ctx.state.requestId,
      method: ctx.method,
      route: ctx.state.route ?? 'none',
      path: ctx.state.path,
      address: ctx.state.address,
      key: ctx.state.key,
      // One that is too long was refused for that, and is never taken apart (D14).
      querystring: ctx.status === 414 ? '' : ctx.querystring,
    });
    logAnswer(ctx.get(POLL_HEADER) === '1' ? pollLog : requestLog, ctx.res, asked);
    return next();
  };
};

const loggedQuery = (querystring: string, redact: (text: string) => string): Record<string, string> =>
  Object.fromEntries(
    parameters(querystring).flatMap(({ name, value }) =>
      LOGGED.has(name) && value !== undefined ? [[name, redact(value)]] : [],
    ),
  );
