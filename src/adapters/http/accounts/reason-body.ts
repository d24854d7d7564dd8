import { type Reason, readReason } from '../../../domain/accounts/reason.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { takesJson } from '../answer/body.js';
import { answerRefusal } from '../answer/problem.js';
import type { RouteContext, RouteHandler } from '../state.js';

/** The largest request body, in bytes. */
export const BODY_MAX = 64 * 1_024;

/** A body with an optional reason, after the reason was validated. */
type Reasoned = { readonly reason?: Reason };

/** A handler for JSON bodies whose schema has a reason. `domain/accounts/reason.ts` validates the reason. */
export const takesReason =
  (keyFormat: KeyFormat) =>
  <Body extends Reasoned>(
    schema: string,
    handle: (ctx: RouteContext, body: Body) => Promise<void>,
  ): RouteHandler =>
    takesJson<{ readonly reason?: string }>(schema, BODY_MAX, async (ctx, body) => {
      const reason = body.reason === undefined ? undefined : readReason(body.reason, keyFormat);
      if (typeof reason === 'object') return answerRefusal(ctx, reason);
      return handle(ctx, { ...body, reason } as Body);
    });
