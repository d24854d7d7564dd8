import { Unavailable } from '../../application/unavailable.js';
import { answerError } from './page/error-page.js';
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './page/security-headers.js';
import { isOnThisMachine } from './private-connection.js';
import type { Context, Middleware } from './state.js';

/** Everything under one path is pages: guarded by the same headers, and what goes wrong is told as a page too. */
export function pages(
  under: string,
  router: Middleware,
  parts: {
    readonly isSecure: boolean;
    readonly reportFault: (fault: unknown, requestId: string) => void;
  },
): Middleware {
  const headers = { ...SECURITY_HEADERS, ...(parts.isSecure && STRICT_TRANSPORT) };
  return async (ctx, next) => {
    if (ctx.path !== under && !ctx.path.startsWith(`${under}/`)) return next();
    ctx.set(headers);
    if (!parts.isSecure && !isOnThisMachine(ctx)) return answerError(ctx as Context, 'not private');
    try {
      await router(ctx, async () => answerError(ctx as Context, 'not found'));
    } catch (fault) {
      if (ctx.req.destroyed && !ctx.req.complete) return; // The caller went away while sending; nobody reads this.
      parts.reportFault(fault, ctx.state.requestId);
      answerFault(ctx as Context, fault);
    }
  };
}

function answerFault(ctx: Context, fault: unknown): void {
  const isAway = fault instanceof Unavailable;
  if (isAway) ctx.set('Retry-After', '1');
  answerError(ctx, isAway ? 'unavailable' : 'internal');
}
