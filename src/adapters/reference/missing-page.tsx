import { renderToString } from 'preact-render-to-string';
import { securityHeaders } from '../dashboard/page/security-headers.js';
import { answerProblem } from '../http/answer/problem.js';
import type { Context } from '../http/state.js';
import { prefersPage } from './front/front-route.js';
import { PageFrame } from './page-frame.js';
import { type Rendered, rendered } from './rendered.js';
import { Doors } from './service-doors.js';

/** Below these paths are calls for programs: an unknown one is a problem document, whatever `Accept` is (D32). */
const API = /^\/(?:pm|internal|webhooks)(?:\/|$)/;

type MissingParts = {
  readonly config: { readonly supportContact: string | undefined };
  readonly publicAddress: { readonly isSecure: boolean };
};

/** 404 for a path that does not exist: a page for browsers, and a problem document for programs. */
export function missingPage({ config, publicAddress }: MissingParts): (ctx: Context) => void {
  const html = `<!doctype html>${renderToString(<MissingPage support={config.supportContact} />)}`;
  const page: Rendered = rendered('text/html; charset=utf-8', html);
  return (ctx) => {
    if (API.test(ctx.path)) return answerProblem(ctx, 'not_found');
    ctx.vary('Accept');
    if (!prefersPage(ctx)) return answerProblem(ctx, 'not_found');
    ctx.set({ ...securityHeaders(publicAddress.isSecure), 'Cache-Control': 'no-store' });
    ctx.status = 404;
    ctx.type = page.type;
    ctx.body = page.body;
  };
}

const MissingPage = ({ support }: { readonly support: string | undefined }) => (
  <PageFrame
    title="Page not found · Oddswire"
    summary="This page does not exist."
    active={null}
    support={support}
  >
    <main id="content" class="front">
      <h1>Page not found</h1>
      <p>
        There is no page at this address. Paths are exact: upper and lower case count, and so does a slash at
        the end.
      </p>
      <p class="actions">
        <a class="button" href="/">
          Front page
        </a>
        <a href="/docs/reference">API reference</a>
      </p>
      <Doors />
    </main>
  </PageFrame>
);
