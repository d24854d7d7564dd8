import type { GuardAddress } from '../../application/guard-address.js';
import { type Limit, tightest } from '../../domain/rate-limit.js';
import { addressGroup } from './client-address.js';
import type { Middleware } from './state.js';

/** Every answer says where its caller stands: with the subscription once a key is known, else the address (D33). */
export const limitHeaders =
  (guardAddress: GuardAddress): Middleware =>
  async (ctx, next) => {
    await next();
    const { limits, address } = ctx.state;
    ctx.set(rateLimitHeaders(limits ?? (await guardAddress.look(addressGroup(address)))));
  };

/** The IETF draft's two fields, and the three that most clients know, of the tightest policy (D33). */
export function rateLimitHeaders(limits: readonly Limit[]): Record<string, string> {
  const felt = tightest(limits);
  return {
    'RateLimit-Policy': limits
      .map(({ policy: { name, quota, seconds } }) => `"${name}";q=${quota};w=${seconds}`)
      .join(', '),
    RateLimit: limits
      .map(({ policy: { name }, remaining, secondsLeft }) => `"${name}";r=${remaining};t=${secondsLeft}`)
      .join(', '),
    ...(felt !== undefined && {
      'X-RateLimit-Limit': String(felt.policy.quota),
      'X-RateLimit-Remaining': String(felt.remaining),
      'X-RateLimit-Reset': String(felt.endsAt),
    }),
  };
}
