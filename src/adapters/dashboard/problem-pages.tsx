import { ownValue } from '../../domain/own-value.js';
import { answerError, answerOther, type PageError, statusOfError } from './page/error-page.js';
import { securityHeaders } from './page/security-headers.js';
import type { Context, Middleware } from './state.js';

/** A problem document of the listener (RFC 9457). */
type Problem = { readonly code: string; readonly title: string; readonly detail: string };

/** Problems whose page has a text of its own. */
const PAGES: Readonly<Record<string, PageError>> = {
  bad_request: 'bad request',
  uri_too_long: 'address too long',
  overloaded: 'overloaded',
  not_found: 'not found',
};

/**
 * Runs in front of all pages. If the listener refuses a request, its problem document becomes a page with the same status
 * and headers. That page reads no session: a refused request must not cost a lookup.
 */
export const problemPages =
  (isSecure: boolean): Middleware =>
  async (ctx, next) => {
    await next();
    if (ctx.response.type !== 'application/problem+json') return;
    const { status, body } = ctx;
    const { code, title, detail } = body as Problem;
    ctx.set(securityHeaders(isSecure));
    ctx.state.viewer = null;
    const error = ownValue(PAGES, code);
    if (error === undefined || statusOfError(error) !== status)
      await answerOther(ctx as Context, status, title, detail);
    else await answerError(ctx as Context, error);
  };
