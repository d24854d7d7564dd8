import type { KeyId } from '../../domain/api-key.js';
import { parameters } from './parameters.js';
import type { Context, Middleware } from './state.js';

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
  readonly seconds: number;
  readonly address: string;
  readonly key_id: KeyId | null;
  /** The caller went away before the answer was out. */
  readonly aborted: boolean;
};

/** Parameters whose values are worth a line; `api_key` never is (D19, T12). */
const LOGGED = new Set(['limit', 'cursor', 'since', 'news_id', 'market_id', 'mode']);

/** No answer went out, so no status did; the number that proxies write for that. */
const GONE_BEFORE_ANSWER = 499;

export const accessLog =
  (parts: {
    /** Null where the log is set to say less than that: then nothing is put together either. */
    readonly record: ((record: AccessRecord) => void) | null;
    readonly measure: (labels: RequestLabels, seconds: number) => void;
    /** Cuts out whatever looks like a key, wherever a caller put it (T12). */
    readonly redact: (text: string) => string;
  }): Middleware =>
  (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const labels = {
        method: ctx.method,
        route: ctx.state.route ?? 'none',
        status: ctx.res.headersSent ? ctx.res.statusCode : GONE_BEFORE_ANSWER,
      };
      parts.measure(labels, seconds);
      parts.record?.({
        request_id: ctx.state.requestId,
        ...labels,
        path: ctx.state.path,
        query: loggedQuery(ctx, parts.redact),
        seconds,
        address: parts.redact(ctx.state.address),
        key_id: ctx.state.key,
        aborted: !ctx.res.writableFinished,
      });
    });
    return next();
  };

function loggedQuery(ctx: Context, redact: (text: string) => string): Record<string, string> {
  if (ctx.status === 414) return {};
  return Object.fromEntries(
    parameters(ctx.querystring).flatMap(({ name, value }) =>
      LOGGED.has(name) && value !== undefined ? [[name, redact(value)]] : [],
    ),
  );
}
