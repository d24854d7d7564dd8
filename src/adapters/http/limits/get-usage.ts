import type { Limit } from '../../../domain/limits/rate-limit.js';
import { fromEpochMillis } from '../../../domain/moment.js';
import type { Context, RouteHandler } from '../state.js';

/** GET /pm/v2/usage: plan and limits of the subscription. Takes no permit, so it works when the quota is exhausted. */
export const getUsage: RouteHandler = (ctx) => {
  const { key, plan, limits } = admitted(ctx);
  ctx.set('Cache-Control', 'private, no-store');
  ctx.set('Vary', 'Authorization, X-API-Key');
  ctx.body = usageJson({ key, plan, limits });
};

/** The schema is `Usage`. */
export const usageJson = ({ key, plan, limits }: ReturnType<typeof admitted>) => ({
  key_id: key,
  plan,
  limits: limits.map(limitJson),
});

const limitJson = ({ policy: { name, quota, seconds }, remaining, endsAt }: Limit) => ({
  name,
  quota,
  seconds,
  used: quota - remaining,
  remaining,
  resets_at: fromEpochMillis(endsAt * 1_000),
});

/** The state that the gateway has set before this route runs. */
function admitted({ state: { key, plan, limits } }: Context) {
  if (key === null || plan === null || limits === null)
    throw new Error('the gateway has not admitted this request');
  return { key, plan, limits };
}
