import type { GuardAddress } from '../../../application/limits/guard-address.js';
import { type Limit, tightest } from '../../../domain/limits/rate-limit.js';
import { addressGroup } from '../listener/client-address.js';
import type { Middleware } from '../state.js';

/**
 * Sets the rate-limit headers on every response: the limits of the subscription, or those of the client address if no
 * key is known (D33).
 */
export const limitHeaders =
  (guardAddress: GuardAddress): Middleware =>
  async (ctx, next) => {
    await next();
    const { limits, address } = ctx.state;
    ctx.set(rateLimitHeaders(limits ?? (await guardAddress.peek(addressGroup(address)))));
  };

/**
 * The two fields of the IETF draft, for all policies, and `X-RateLimit-*` for the limit with the fewest remaining
 * requests (D33).
 */
export function rateLimitHeaders(limits: readonly Limit[]): Record<string, string> {
  const tightestLimit = tightest(limits);
  if (tightestLimit === undefined) return {};
  let policies = '';
  let states = '';
  for (const { policy, remaining, secondsLeft } of limits) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${policy.name}";q=${policy.quota};w=${policy.seconds}`;
    states += `${comma}"${policy.name}";r=${remaining};t=${secondsLeft}`;
  }
  return {
    'RateLimit-Policy': policies,
    RateLimit: states,
    'X-RateLimit-Limit': String(tightestLimit.policy.quota),
    'X-RateLimit-Remaining': String(tightestLimit.remaining),
    'X-RateLimit-Reset': String(tightestLimit.endsAt),
  };
}
