import type { Context, RouteHandler } from '../state.js';

/** The health of a dependency, or of the service itself; `text` explains it to an operator. */
export type DependencyState = {
  readonly dependency: string;
  readonly state: 'up' | 'degraded' | 'down';
  readonly text: string;
};

export const livez: RouteHandler = (ctx) => {
  ctx.body = { status: 'alive' };
};

/** The service is as healthy as its least healthy dependency. */
export const worstOf = (states: readonly DependencyState[]): DependencyState['state'] =>
  (['down', 'degraded'] as const).find((state) => states.some((each) => each.state === state)) ?? 'up';

const READINESS = { up: 'ready', degraded: 'degraded', down: 'not_ready' } as const;

/**
 * Ready while every dependency is up or degraded. Not ready while a dependency is down, or while the service shuts down
 * (T8).
 */
export const readyz =
  (dependencyStates: () => readonly DependencyState[]): RouteHandler =>
  (ctx) =>
    answerReadiness(ctx, dependencyStates());

export function answerReadiness(ctx: Context, states: readonly DependencyState[]): void {
  const worst = worstOf(states);
  ctx.status = worst === 'down' ? 503 : 200;
  ctx.set('Cache-Control', 'no-store');
  // In the response, the names are `part` and `words`.
  const parts = states.map(({ dependency, state, text }) => ({ part: dependency, state, words: text }));
  ctx.body = { status: READINESS[worst], parts };
}

/** GET /metrics, in the format of Prometheus. */
export const getMetrics =
  (metrics: { readonly contentType: string; readonly text: () => Promise<string> }): RouteHandler =>
  async (ctx) => {
    ctx.type = metrics.contentType;
    ctx.body = await metrics.text();
  };
