import { renderToString } from 'preact-render-to-string';
import type { ReadFeed } from '../../../application/feed/read-feed.js';
import type { Clock } from '../../../application/ports/clock.js';
import type { Plans } from '../../../domain/billing/plan.js';
import { securityHeaders } from '../../dashboard/page/security-headers.js';
import { serviceLinks } from '../../http/answer/service-links.js';
import { PRODUCT } from '../../http/product.js';
import type { Context, RouteHandler } from '../../http/state.js';
import { listedClients } from '../client-files.js';
import { answerRendered, type Rendered, rendered, renderedOnce } from '../rendered.js';
import { hasCheckout, type PaymentTerms } from '../tables/plans.js';
import { FrontPage } from './front-page.js';
import { ageText, newestCard, sampleCard } from './newest-card.js';
import { newestItem } from './newest-item.js';

export type FrontParts = {
  readonly version: string;
  readonly config: {
    readonly frontPageHeadline: boolean;
    readonly supportContact: string | undefined;
    readonly payments: PaymentTerms;
  };
  /** The sandbox key that everyone may use (D138). */
  readonly publicSandboxKey: string;
  readonly plans: Plans;
  readonly publicAddress: { readonly url: () => string; readonly isSecure: boolean };
  readonly readFeed: ReadFeed;
  readonly clock: Clock;
  /** Null outside the demo, whose stories are invented. */
  readonly fakePayments: unknown;
};

const LINKS = `${serviceLinks('public')}, </.well-known/api-catalog>; rel="api-catalog"`;
/** The query of the script that keeps the card up to date (`dashboard/browser/newest.ts`). */
const CARD_ONLY = 'newest';
/** Whoever asks more often, also through a cache that visitors share, gets the same card. */
const CARD_CACHE = 'public, max-age=1';
const HTML = 'text/html; charset=utf-8';

/** GET /: a page for browsers, and the addresses of the service as JSON for programs. */
export function frontRoute(parts: FrontParts): RouteHandler {
  const { publicAddress } = parts;
  const index = renderedOnce(() =>
    rendered('application/json; charset=utf-8', JSON.stringify(indexOf(parts))),
  );
  const sample = renderedOnce(() => framed(frameOf(parts, false), sampleCard()));
  const live = liveFront(parts);
  return async (ctx) => {
    ctx.set({ Link: LINKS, Vary: 'Accept' });
    if (!prefersPage(ctx)) return answerRendered(ctx, index('index'));
    const shown = await live();
    ctx.set(securityHeaders(publicAddress.isSecure));
    if (ctx.querystring !== CARD_ONLY) return answerRendered(ctx, shown?.page ?? sample('sample'));
    if (shown === null) {
      ctx.status = 204;
      return;
    }
    answerRendered(ctx, shown.card);
    ctx.set('Cache-Control', CARD_CACHE);
  };
}

type Live = { readonly key: string; readonly page: Rendered; readonly card: Rendered };

/** The page with the newest item, and its card alone; null without the setting, or if there is no item. */
function liveFront(parts: FrontParts): () => Promise<Live | null> {
  const newest = newestItem(parts);
  let frame: Frame | null = null;
  const isInvented = parts.fakePayments !== null;
  let last: Live | null = null;
  return async () => {
    const found = parts.config.frontPageHeadline ? await newest() : null;
    if (found === null) return null;
    // The same bytes, and the same `ETag`, as long as nothing changes that is shown.
    const key = JSON.stringify([found.item, found.points, ageText(found)]);
    if (last?.key !== key) {
      const card = newestCard(found, isInvented);
      frame ??= frameOf(parts, true);
      last = { key, page: framed(frame, card), card: rendered(HTML, card) };
    }
    return last;
  };
}

/** No browser sends a longer `Accept`. The work of reading it grows with its length (T19). */
const ACCEPT_MAX = 1_000;

/** Whether the client asks for HTML rather than for JSON or a problem document, as browsers do. */
export const prefersPage = (ctx: Pick<Context, 'accepts' | 'get'>): boolean =>
  ctx.get('Accept').length <= ACCEPT_MAX &&
  ctx.accepts(['json', 'application/problem+json', 'html']) === 'html';

/** What is before and after the card. */
type Frame = readonly [before: string, after: string];

/** Stands for the card. No text of the page has it. */
const CARD_MARK = '<!--card-->';

/** Rendered once: the card changes each second while its item is new, and the rest of the page never does. */
function frameOf(parts: FrontParts, isLive: boolean): Frame {
  const { publicAddress, config, plans, fakePayments, publicSandboxKey: publicKey } = parts;
  const { supportContact: support, payments } = config;
  const view = { card: CARD_MARK, isLive, publicUrl: publicAddress.url(), publicKey, plans, support };
  const terms = { hasCheckout: hasCheckout(payments), isDemo: fakePayments !== null };
  const html = `<!doctype html>${renderToString(<FrontPage {...view} {...terms} />)}`;
  const at = html.indexOf(CARD_MARK);
  return [html.slice(0, at), html.slice(at + CARD_MARK.length)];
}

const framed = ([before, after]: Frame, card: string): Rendered => rendered(HTML, `${before}${card}${after}`);

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
    clients: listedClients(url),
  };
}
