import type { Admitted } from '../../../application/limits/admit-request.js';
import { isFreeFault, type Refund } from '../../../application/limits/refund.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import { type Problem, problemContext, writeProblem } from '../answer/problem.js';
import { ignoredIn, setIgnored } from '../ignored-parameters.js';
import type { SentKey, SentKeys } from '../keys/sent-keys.js';
import type { Bulkhead } from '../listener/bulkhead.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { Context, RouteHandler } from '../state.js';
import type { AdmitSentKey } from './admit-sent-key.js';
import { gatewayProblem } from './gateway.js';
import { answerOverloaded } from './overload.js';
import { type CountRequest, countAnswered } from './request-count.js';

export type PaidRouteParts = {
  readonly admitSentKey: AdmitSentKey;
  readonly sentKeys: SentKeys;
  readonly refund: Refund;
  /** Limits the admitted requests in progress. */
  readonly working: Bulkhead;
  readonly count: CountRequest;
  readonly keyFormat: KeyFormat;
};

/** Writes the answer and returns null; or returns the problem. A problem that is free gives the permit back. */
type AnswerPaid = (
  ctx: Context,
  admitted: Admitted,
  sent: SentKey,
) => Promise<{ readonly problem: Problem; readonly isFree: boolean } | null>;

type Call = {
  /** Its parameters (D13). */
  readonly known: ReadonlySet<string>;
  /** The headers that the answer depends on. The compression adds `Accept-Encoding`. */
  readonly vary: string;
};

/**
 * A route that takes one permit, after the gateway checks (contract section 5.5). What was asked of the store costs its permit, also
 * if it did not answer in time (D34).
 */
export const paidRoute =
  (parts: PaidRouteParts, { known, vary }: Call, answer: AnswerPaid): RouteHandler =>
  async (ctx) => {
    const { req: request, state, querystring } = ctx;
    ctx.set('Vary', vary);
    const headers = readHeaders(request.rawHeaders);
    const startedAt = parts.count.clock();
    const sent = parts.sentKeys.of(request.socket, headers, querystring);
    const admission = await parts.admitSentKey(sent, rangesOf(state.address), 1);
    if (admission === 'overloaded') return answerOverloaded(ctx);
    state.key = admission.key;
    state.limits = admission.limits;
    if (state.key !== null) setIgnored(ctx, ignoredIn(querystring, known, parts.keyFormat));
    // An admitted key was recognised.
    if (admission.admitted) await answerAdmitted(parts, ctx, admission, sent as SentKey, answer);
    else writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx), { headers, querystring }));
    countAnswered(parts.count, ctx.res, state.key, ctx.status, startedAt);
  };

async function answerAdmitted(
  parts: PaidRouteParts,
  ctx: Context,
  admitted: Admitted,
  sent: SentKey,
  answer: AnswerPaid,
): Promise<void> {
  const { subnet } = rangesOf(ctx.state.address);
  const giveBack = async () => {
    ctx.state.limits = await parts.refund(admitted);
  };
  if (!parts.working.enter(subnet)) {
    await giveBack();
    return answerOverloaded(ctx);
  }
  try {
    const refused = await answer(ctx, admitted, sent);
    if (refused === null) return;
    if (refused.isFree) await giveBack();
    writeProblem(ctx, refused.problem);
  } catch (fault) {
    if (isFreeFault(fault)) await giveBack();
    throw fault;
  } finally {
    parts.working.leave(subnet);
  }
}
