import type { RouterContext, RouterMiddleware } from '@koa/router';
import type Koa from 'koa';
import type { PlanName } from '../../domain/billing/plan.js';
import type { SubscriptionId } from '../../domain/billing/subscription.js';
import type { KeyId } from '../../domain/keys/api-key.js';
import type { Limit } from '../../domain/limits/rate-limit.js';
import type { RequestTrace } from '../tracing/request-traces.js';
import type { ProblemReferences } from './answer/service-links.js';
import type { LoggedStream } from './logged-stream.js';

/** The complete body of a request; null on routes that do not receive one (`listener/received-body.ts`). */
export type ReceivedBody = Buffer | 'too large' | null;

/** The state of a request, shared by its middleware. */
export type State = {
  requestId: string;
  /** Null if the request belongs to no trace. */
  readonly trace: RequestTrace | null;
  /** What problem documents of this listener refer to. */
  readonly references: ProblemReferences;
  /** The client address, as far as it can be trusted (T10). */
  address: string;
  /** The path for logs and problem documents: everything that looks like a key is redacted (D19). */
  path: string;
  /**
   * The path of the matched route, or null. Logs and metrics use it, because the number of label values must be small.
   */
  route: string | null;
  /** The key of the request, admitted or not; null until it is known. */
  key: KeyId | null;
  /** The code of the problem document that answers; null for other answers. */
  code: string | null;
  /** Its subscription; null until the request is admitted. */
  subscription: SubscriptionId | null;
  /** The plan of its subscription; null until the request is admitted. */
  plan: PlanName | null;
  /** The limits for the rate-limit headers; null until the key is known. */
  limits: readonly Limit[] | null;
  /** The stream that the request has opened; null for all other requests. */
  stream: LoggedStream | null;
  body: ReceivedBody;
};

export type Middleware = Koa.Middleware<State>;
export type Context = Parameters<Middleware>[0];

/** A handler of a route; `ctx.params` has its path parameters. */
export type RouteHandler = RouterMiddleware<State>;
export type RouteContext = RouterContext<State>;
