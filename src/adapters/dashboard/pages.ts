import type { Clock } from '../../application/ports/clock.js';
import { isOutOfDescriptors, Unavailable } from '../../application/unavailable.js';
import { answerError } from './page/error-page.js';
import { securityHeaders } from './page/security-headers.js';
import { isOnThisMachine } from './private-connection.js';
import type { Context, Middleware, Viewer } from './state.js';

type Parts = {
  readonly clock: Clock;
  readonly isSecure: boolean;
  readonly reportFault: (fault: unknown, requestId: string) => void;
  /** The user who is signed in to these pages; null if nobody is. */
  readonly viewerOf: (ctx: Context) => Promise<Viewer | null>;
};

/** Serves all pages under one path: with the same security headers, and with errors as pages. */
export function pages(under: string, router: Middleware, parts: Parts): Middleware {
  const headers = securityHeaders(parts.isSecure);
  return async (ctx, next) => {
    if (ctx.path !== under && !ctx.path.startsWith(`${under}/`)) return next();
    ctx.set(headers);
    // No session is read over a connection that others could read.
    if (!parts.isSecure && !isOnThisMachine(ctx)) return answerError(ctx as Context, 'not private');
    ctx.state.renderedAt = parts.clock();
    ctx.state.findViewer = () => viewerOrNull(ctx as Context, parts);
    try {
      await router(ctx, () => answerError(ctx as Context, 'not found'));
    } catch (fault) {
      if (ctx.req.destroyed && !ctx.req.complete) return; // The client disconnected while sending.
      parts.reportFault(fault, ctx.state.requestId);
      await answerFault(ctx as Context, fault);
    }
  };
}

function answerFault(ctx: Context, fault: unknown): Promise<void> {
  const isUnavailable = fault instanceof Unavailable || isOutOfDescriptors(fault);
  if (isUnavailable) ctx.set('Retry-After', '1');
  return answerError(ctx, isUnavailable ? 'unavailable' : 'internal');
}

/** Null also if the viewer cannot be read: a second error must not replace the first on an error page. */
async function viewerOrNull(ctx: Context, { viewerOf, reportFault }: Parts): Promise<Viewer | null> {
  try {
    return await viewerOf(ctx);
  } catch (fault) {
    if (!(fault instanceof Unavailable)) reportFault(fault, ctx.state.requestId);
    return null;
  }
}
