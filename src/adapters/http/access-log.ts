import type { KeyId } from '../../domain/api-key.js';
import { clientAddress } from './client-address.js';
import { parameters } from './parameters.js';
import type { Context, Middleware } from './state.js';

/** What is kept of a request once it is over: for one log line, and for the metrics. */
export type AccessRecord = {
  readonly request_id: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The route that answered; `none` for paths that nobody serves. */
  readonly route: string;
  readonly status: number;
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
    readonly record: (record: AccessRecord) => void;
    /** Cuts out whatever looks like a key, wherever a caller put it (T12). */
    readonly redact: (text: string) => string;
    readonly trustedProxyHops: number;
  }): Middleware =>
  async (ctx, next) => {
    const startedAt = process.hrtime.bigint();
    const address = clientAddress(ctx, parts.trustedProxyHops);
    ctx.res.once('close', () => {
      parts.record({
        request_id: ctx.state.requestId,
        method: ctx.method,
        path: ctx.state.path,
        query: loggedQuery(ctx, parts.redact),
        route: ctx.state.route ?? 'none',
        status: ctx.res.headersSent ? ctx.res.statusCode : GONE_BEFORE_ANSWER,
        seconds: Number(process.hrtime.bigint() - startedAt) / 1e9,
        address: parts.redact(address),
        key_id: ctx.state.key,
        aborted: !ctx.res.writableFinished,
      });
    });
    await next();
  };

function loggedQuery(ctx: Context, redact: (text: string) => string): Record<string, string> {
  if (ctx.status === 414) return {};
  return Object.fromEntries(
    parameters(ctx.querystring).flatMap(({ name, value }) =>
      LOGGED.has(name) && value !== undefined ? [[name, redact(value)]] : [],
    ),
  );
}
