import type { RouterContext, RouterMiddleware } from '@koa/router';
import type Koa from 'koa';
import type { PlanName } from '../../domain/billing/plan.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Limit } from '../../domain/limits/rate-limit.js';
import type { ReceivedBody } from './listener/received-body.js';

/** What the middleware learn of a request, one for another. */
export type State = {
  requestId: string;
  /** The client's address as far as it can be believed (T10). */
  address: string;
  /** The path as it may be written down: whatever looks like a key is cut out of it (D19). */
  path: string;
  /** The path of the route that answers; null when none does. For logs and metrics, which must not grow with paths. */
  route: string | null;
  /** The key that was sent, admitted or not; null as long as none is known. */
  key: KeyId | null;
  /** The plan of the subscription behind it, once it was admitted. */
  plan: PlanName | null;
  /** What the rate-limit headers say; null while only the address is known. */
  limits: readonly Limit[] | null;
  /** The body, where the route takes one (`received-body.ts`). */
  body: ReceivedBody;
};

export type Middleware = Koa.Middleware<State>;
export type Context = Parameters<Middleware>[0];

/** A handler of a route, which knows the parts of its path. */
export type RouteHandler = RouterMiddleware<State>;
export type RouteContext = RouterContext<State>;
