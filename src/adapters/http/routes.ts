import Router from '@koa/router';
import { answerProblem } from './answer/problem.js';
import type { Middleware, RouteHandler, State } from './state.js';

type Method = 'GET' | 'POST' | 'DELETE';

/** A path with its methods, and the handlers of each method in order. */
export type Route = {
  readonly path: string;
  readonly methods: { readonly [M in Method]?: readonly (Middleware | RouteHandler)[] };
  /** Whether `HEAD` is 405 beside `GET`. */
  readonly isWithoutHead?: boolean;
  /** Answers `OPTIONS`; without it, `OPTIONS` is 405. */
  readonly options?: (allow: string) => Middleware;
};

/** A list of routes as middleware. Paths match exactly (T3, D15); other methods are 405 (D36, T11). */
export function routes(list: readonly Route[]): Middleware {
  const router = new Router<State>({ strict: true, sensitive: true });
  for (const route of list) {
    const { path, methods, options } = route;
    const allow = allowedMethods(route).join(', ');
    const setRoute: RouteHandler = (ctx, next) => {
      ctx.state.route = path;
      return next();
    };
    const refuse: RouteHandler = (ctx) => {
      ctx.set('Allow', allow);
      answerProblem(ctx, 'method_not_allowed');
    };
    if (route.isWithoutHead === true) router.register(path, ['HEAD'], [setRoute, refuse]);
    for (const [method, handlers] of Object.entries(methods)) {
      router.register(path, [method], [setRoute, ...(handlers as RouteHandler[])]);
    }
    if (options !== undefined) router.options(path, setRoute, options(allow));
    router.all(path, setRoute, refuse);
  }
  return router.routes() as Middleware;
}

export const notFound: Middleware = (ctx) => answerProblem(ctx, 'not_found');

const allowedMethods = ({ methods, options, isWithoutHead }: Route): readonly string[] => [
  ...Object.keys(methods).flatMap((method) =>
    method === 'GET' && isWithoutHead !== true ? ['GET', 'HEAD'] : [method],
  ),
  ...(options === undefined ? [] : ['OPTIONS']),
];
