import { renderToString } from 'preact-render-to-string';
import type { ReadFeed } from '../../application/feed/read-feed.js';
import type { Plans } from '../../domain/billing/plan.js';
import type { FeedItem } from '../../domain/feed/feed-item.js';
import type { FeedQuery } from '../../domain/feed/feed-query.js';
import { NO_TERMS } from '../../domain/feed/filters/item-terms.js';
import { securityHeaders } from '../dashboard/page/security-headers.js';
import { serviceLinks } from '../http/answer/service-links.js';
import { exampleItem } from '../http/openapi/examples/example-item.js';
import { PRODUCT } from '../http/product.js';
import type { Context, RouteHandler } from '../http/state.js';
import { FrontPage } from './front-page.js';
import { answerRendered, type Rendered, rendered, renderedOnce } from './rendered.js';
import { hasCheckout, type PaymentTerms } from './tables/plans.js';

export type FrontParts = {
  readonly version: string;
  readonly config: {
    readonly frontPageHeadline: boolean;
    readonly keyPrefix: string;
    readonly supportContact: string | undefined;
    readonly payments: PaymentTerms;
  };
  readonly plans: Plans;
  readonly publicAddress: { readonly url: () => string; readonly isSecure: boolean };
  readonly readFeed: ReadFeed;
};

const LINKS = `${serviceLinks('public')}, </.well-known/api-catalog>; rel="api-catalog"`;
/** One object, so that the feed recognises the query. */
const NEWEST: FeedQuery = {
  limit: 1,
  cursor: null,
  since: null,
  newsId: null,
  marketId: null,
  terms: NO_TERMS,
};

/** GET /: a page for browsers, and the addresses of the service as JSON for programs. */
export function frontRoute(parts: FrontParts): RouteHandler {
  const { config, publicAddress } = parts;
  const index = renderedOnce(() =>
    rendered('application/json; charset=utf-8', JSON.stringify(indexOf(parts))),
  );
  const sample = renderedOnce(() => page(parts, exampleItem(), true));
  let newest: { readonly json: string; readonly page: Rendered } | null = null;
  const newestPage = async (): Promise<Rendered | null> => {
    const json = await newestItem(parts.readFeed);
    if (json === null) return null;
    if (newest?.json !== json) newest = { json, page: page(parts, JSON.parse(json) as FeedItem, false) };
    return newest.page;
  };
  return async (ctx) => {
    ctx.set({ Link: LINKS, Vary: 'Accept' });
    if (!prefersPage(ctx)) return answerRendered(ctx, index('index'));
    const live = config.frontPageHeadline ? await newestPage() : null;
    ctx.set(securityHeaders(publicAddress.isSecure));
    answerRendered(ctx, live ?? sample('sample'));
  };
}

/** No browser sends a longer `Accept`. The work of reading it grows with its length (T19). */
const ACCEPT_MAX = 1_000;

/** Whether the client asks for HTML rather than for JSON or a problem document, as browsers do. */
export const prefersPage = (ctx: Pick<Context, 'accepts' | 'get'>): boolean =>
  ctx.get('Accept').length <= ACCEPT_MAX &&
  ctx.accepts(['json', 'application/problem+json', 'html']) === 'html';

/** The JSON of the newest item; null if there is none, or if the feed cannot be read. */
async function newestItem(readFeed: ReadFeed): Promise<string | null> {
  try {
    const { page, bytesOf } = await readFeed(NEWEST);
    const [item] = page.items;
    return item === undefined ? null : bytesOf(item).toString('utf8');
  } catch {
    return null; // The page then shows the sample; the routes of the feed report the fault.
  }
}

const page = ({ publicAddress, config, plans }: FrontParts, item: FeedItem, isSample: boolean): Rendered => {
  const { keyPrefix, supportContact: support, payments } = config;
  const view = { item, isSample, publicUrl: publicAddress.url(), keyPrefix, plans, support };
  return rendered(
    'text/html; charset=utf-8',
    `<!doctype html>${renderToString(<FrontPage {...view} hasCheckout={hasCheckout(payments)} />)}`,
  );
};

/** The schema is `Index`. */
function indexOf({ version, publicAddress }: FrontParts) {
  const url = publicAddress.url();
  return {
    name: 'Oddswire',
    version,
    description: PRODUCT,
    links: {
      feed: `${url}/pm/v2/news`,
      stream: `${url}/pm/v2/stream`,
      changes: `${url}/pm/v2/changes`,
      history: `${url}/pm/v2/history`,
      markets: `${url}/pm/v2/markets`,
      usage: `${url}/pm/v2/usage`,
      mcp: `${url}/mcp`,
      status: `${url}/status`,
      openapi: `${url}/openapi.json`,
      documentation: `${url}/docs`,
      llms: `${url}/llms.txt`,
      dashboard: `${url}/dashboard`,
    },
  };
}
