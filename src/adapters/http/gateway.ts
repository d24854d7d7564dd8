import type { IncomingMessage } from 'node:http';
import type { Admission, AdmitRequest, Admitted } from '../../application/admit-request.js';
import type { Counters } from '../../application/ports/counters.js';
import type { KeyFormat } from '../../domain/key-value.js';
import { givenBack, type Limit } from '../../domain/rate-limit.js';
import { addressGroup, networkOf } from './client-address.js';
import { credentialOf } from './credential.js';
import { answerRefusal, statusOf } from './problem.js';
import type { Context, Middleware } from './state.js';

/** What became of a request before it came here. */
export type HandedOver = {
  /** What was decided of it: its place is taken already. Null where nothing could be decided. */
  readonly admission: Admission | null;
  /** In milliseconds of `performance.now()`. */
  readonly startedAt: number;
};

/** Section 5.5: nobody passes without a key that may be used, within its limits. */
export const gateway =
  (parts: {
    /** How many places a request takes. */
    readonly takes: 0 | 1;
    readonly admitRequest: AdmitRequest;
    readonly counters: Counters;
    readonly keyFormat: KeyFormat;
    readonly queryKeyAllowed: boolean;
    readonly handedOver: WeakMap<IncomingMessage, HandedOver>;
  }): Middleware =>
  async (ctx, next) => {
    const { address } = ctx.state;
    const admission =
      parts.handedOver.get(ctx.req)?.admission ??
      (await parts.admitRequest(
        {
          credential: credentialOf(ctx, parts.keyFormat, parts.queryKeyAllowed),
          address: addressGroup(address),
          network: networkOf(address),
        },
        parts.takes,
      ));
    ctx.state.limits = admission.limits;
    ctx.state.key = admission.key;
    if (admission.admitted) {
      ctx.state.plan = admission.plan;
      await served(ctx, next, admission, parts.counters);
    } else {
      answerRefusal(ctx, admission.refusal);
      if (ctx.status === 401) challenge(ctx, admission.refusal.refused !== 'key_missing');
    }
  };

/** Lets the request through; one that changed nothing for the caller, or failed, costs nothing (D34). */
async function served(
  ctx: Context,
  next: () => Promise<unknown>,
  admitted: Admitted,
  counters: Counters,
): Promise<void> {
  const refund = async () => {
    ctx.state.limits = await refunded(admitted, counters);
  };
  try {
    await next();
  } catch (fault) {
    await refund();
    throw fault;
  }
  if (ctx.status === 304 || ctx.status >= statusOf('internal')) await refund();
}

/** Gives back the place of a request that cost nothing, and answers how its caller stands then (D34). */
export async function refunded({ limits, places }: Admitted, counters: Counters): Promise<readonly Limit[]> {
  if (places.length === 0) return limits; // It took none.
  // Best effort: a refund that fails must not fail the answer, and is never tried again.
  await counters.giveBack(places, 1).catch(() => {});
  return givenBack(limits);
}

/** D37. */
function challenge(ctx: Context, keySent: boolean): void {
  ctx.set('WWW-Authenticate', `Bearer realm="oddswire"${keySent ? ', error="invalid_token"' : ''}`);
}
