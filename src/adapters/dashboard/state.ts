import type { RouterContext } from '@koa/router';
import type Koa from 'koa';

/** What the listener has learned of a request before it comes here. */
export type State = {
  readonly requestId: string;
  /** The client's address as far as it can be believed (T10). */
  readonly address: string;
  route: string | null;
};

export type Middleware = Koa.Middleware<State>;
export type Context = RouterContext<State>;
export type Handler = (ctx: Context) => Promise<void> | void;

/** One parameter of the query; null when it is not there. */
export const parameter = (ctx: Context, name: string): string | null =>
  new URLSearchParams(ctx.querystring).get(name);

/** After a form was taken: the next page is asked for by itself, so that a reload repeats nothing. */
export function goTo(ctx: Context, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = '';
}
