import type { Context, RouteHandler } from '../state.js';

/** How one part of the service is doing, in words for an operator. */
export type PartState = {
  readonly part: string;
  readonly state: 'up' | 'degraded' | 'down';
  readonly words: string;
};

export const livez: RouteHandler = (ctx) => {
  ctx.body = { status: 'alive' };
};

/** A service is as well as the worst of its parts. */
export const worstOf = (states: readonly PartState[]): PartState['state'] =>
  (['down', 'degraded'] as const).find((state) => states.some((part) => part.state === state)) ?? 'up';

const READINESS = { up: 'ready', degraded: 'degraded', down: 'not_ready' } as const;

/** Ready while every part is up or degraded; not while one is down, or the service is on its way out (T8). */
export const readyz =
  (parts: () => readonly PartState[]): RouteHandler =>
  (ctx) =>
    answerReadiness(ctx, parts());

export function answerReadiness(ctx: Context, states: readonly PartState[]): void {
  const worst = worstOf(states);
  ctx.status = worst === 'down' ? 503 : 200;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { status: READINESS[worst], parts: states };
}

/** GET /metrics, in the format of Prometheus. */
export const getMetrics =
  (metrics: { readonly contentType: string; readonly text: () => Promise<string> }): RouteHandler =>
  async (ctx) => {
    ctx.type = metrics.contentType;
    ctx.body = await metrics.text();
  };
