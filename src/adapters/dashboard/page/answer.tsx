import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Context } from '../state.js';
import { RenderedAt } from './moment.js';

/** Sends a page. Pages are not cached: they show personal data, and some show a secret. */
export function answerPage(ctx: Context, page: VNode, status = 200): void {
  ctx.status = status;
  ctx.set('Cache-Control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  const dated = <RenderedAt.Provider value={ctx.state.renderedAt ?? null}>{page}</RenderedAt.Provider>;
  ctx.body = `<!doctype html>${renderToString(dated)}`;
}
