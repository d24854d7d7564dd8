import type { GuardAddress } from '../../../application/limits/guard-address.js';
import { type Limit, tightest } from '../../../domain/limits/rate-limit.js';
import { addressGroup } from '../listener/client-address.js';
import type { Middleware } from '../state.js';

/** Every answer says where its caller stands: with the subscription once a key is known, else the address (D33). */
export const limitHeaders =
  (guardAddress: GuardAddress): Middleware =>
  async (ctx, next) => {
    await next();
    const { limits, address } = ctx.state;
    ctx.set(rateLimitHeaders(limits ?? (await guardAddress.peek(addressGroup(address)))));
  };

/** The IETF draft's two fields, and the three that most clients know, of the tightest policy (D33). */
export function rateLimitHeaders(limits: readonly Limit[]): Record<string, string> {
  const felt = tightest(limits);
  if (felt === undefined) return {};
  let policies = '';
  let standings = '';
  for (const { policy, remaining, secondsLeft } of limits) {
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${policy.name}";q=${policy.quota};w=${policy.seconds}`;
    standings += `${comma}"${policy.name}";r=${remaining};t=${secondsLeft}`;
  }
  return {
    'RateLimit-Policy': policies,
    RateLimit: standings,
    'X-RateLimit-Limit': String(felt.policy.quota),
    'X-RateLimit-Remaining': String(felt.remaining),
    'X-RateLimit-Reset': String(felt.endsAt),
  };
}
