import { Unavailable } from '../../application/unavailable.js';
import { answerError } from './page/error-page.js';
import type { Viewer } from './page/layout.js';
import { securityHeaders } from './page/security-headers.js';
import { isOnThisMachine } from './private-connection.js';
import type { Context, Middleware } from './state.js';

type Parts = {
  readonly isSecure: boolean;
  readonly reportFault: (fault: unknown, requestId: string) => void;
  /** Who is signed in to these pages; null where nobody is. */
  readonly viewerOf: (ctx: Context) => Promise<Viewer | null>;
};

/** Everything under one path is pages: guarded by the same headers, and what goes wrong is told as a page too. */
export function pages(under: string, router: Middleware, parts: Parts): Middleware {
  const headers = securityHeaders(parts.isSecure);
  return async (ctx, next) => {
    if (ctx.path !== under && !ctx.path.startsWith(`${under}/`)) return next();
    ctx.set(headers);
    // Over a connection that others can read no session is looked up.
    if (!parts.isSecure && !isOnThisMachine(ctx)) return answerError(ctx as Context, 'not private');
    ctx.state.findViewer = () => viewerUnlessAway(ctx as Context, parts);
    try {
      await router(ctx, () => answerError(ctx as Context, 'not found'));
    } catch (fault) {
      if (ctx.req.destroyed && !ctx.req.complete) return; // The caller went away while sending; nobody reads this.
      parts.reportFault(fault, ctx.state.requestId);
      await answerFault(ctx as Context, fault);
    }
  };
}

function answerFault(ctx: Context, fault: unknown): Promise<void> {
  const isAway = fault instanceof Unavailable;
  if (isAway) ctx.set('Retry-After', '1');
  return answerError(ctx, isAway ? 'unavailable' : 'internal');
}

/** An error page is answered also where its reader cannot be found: a second fault must not replace the first. */
async function viewerUnlessAway(ctx: Context, { viewerOf, reportFault }: Parts): Promise<Viewer | null> {
  try {
    return await viewerOf(ctx);
  } catch (fault) {
    if (!(fault instanceof Unavailable)) reportFault(fault, ctx.state.requestId);
    return null;
  }
}
