import Router from '@koa/router';
import type { Handler, Middleware, State } from './state.js';

export type PageRoute = { readonly path: string; readonly GET?: Handler; readonly POST?: Handler };

/** Routes pages (D108) by exact path. Unknown paths go to `next`. */
export function pageRouter(list: readonly PageRoute[], wrongMethod: Handler): Middleware {
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const { path, GET, POST } of list) {
    const named =
      (handle: Handler): Handler =>
      (ctx) => {
        ctx.state.route = path;
        return handle(ctx);
      };
    if (GET !== undefined) router.get(path, named(GET));
    if (POST !== undefined) router.post(path, named(POST));
    const allow = [...(GET === undefined ? [] : ['GET', 'HEAD']), ...(POST === undefined ? [] : ['POST'])];
    router.all(
      path,
      named((ctx) => {
        ctx.set('Allow', allow.join(', '));
        return wrongMethod(ctx);
      }),
    );
  }
  return router.routes() as Middleware;
}
