import { ownValue } from '../../domain/own-value.js';
import { answerError, answerOther, type PageError, statusOfError } from './page/error-page.js';
import { securityHeaders } from './page/security-headers.js';
import type { Context, Middleware } from './state.js';

/** A problem document as the listener makes it (RFC 9457). */
type Problem = { readonly code: string; readonly title: string; readonly detail: string };

/** The page for each problem that needs other words for people. */
const PAGES: Readonly<Record<string, PageError>> = {
  bad_request: 'bad request',
  uri_too_long: 'address too long',
  overloaded: 'overloaded',
  not_found: 'not found',
};

/**
 * In front of all pages: where the listener refuses a request before a page is asked, its problem document becomes a
 * page with the same status and headers. No session is looked up for it: a request that was refused unread, or because
 * there are too many, must not cost a look-up.
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
