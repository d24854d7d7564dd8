import { renderToString } from 'preact-render-to-string';
import { securityHeaders } from '../../dashboard/page/security-headers.js';
import type { Status } from '../../http/operations/status.js';
import type { RouteHandler } from '../../http/state.js';
import { prefersPage } from '../front/front-route.js';
import { StatusPage } from './status-page.js';

type Parts = {
  readonly status: () => Promise<Status>;
  readonly config: { readonly supportContact: string | undefined };
  readonly publicAddress: { readonly isSecure: boolean };
};

/** GET /status, without a key: JSON for programs, and the same as a page for browsers. */
export const statusRoute =
  ({ status, config, publicAddress }: Parts): RouteHandler =>
  async (ctx) => {
    ctx.set({ 'Cache-Control': 'no-store', Vary: 'Accept' });
    const now = await status();
    if (!prefersPage(ctx)) {
      ctx.body = now;
      return;
    }
    ctx.set(securityHeaders(publicAddress.isSecure));
    ctx.type = 'text/html; charset=utf-8';
    const page = <StatusPage status={now} support={config.supportContact} />;
    ctx.body = Buffer.from(`<!doctype html>${renderToString(page)}`);
  };
