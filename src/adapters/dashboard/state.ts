import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { Viewer } from './page/layout.js';

/** What the listener has learned of a request before it comes here. */
export type State = {
  readonly requestId: string;
  /** The client's address as far as it can be believed (T10). */
  readonly address: string;
  route: string | null;
  /** The body of a `POST`, received before the request came here. */
  readonly body: Buffer | 'too large' | null;
  /** Who is signed in; absent while that has not been looked up (`page/viewer.ts`). */
  viewer?: Viewer | null;
  /** Looks up who is signed in; answers null where it cannot. */
  findViewer?: () => Promise<Viewer | null>;
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
