import type { Refusal } from '../../../domain/refusal.js';
import {
  type Problem,
  type ProblemContext,
  problemContext,
  refusalProblem,
  statusOf,
  writeProblem,
} from '../answer/problem.js';
import type { SentKeys } from '../keys/sent-keys.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { Middleware } from '../state.js';
import type { AdmitSentKey } from './admit-sent-key.js';
import { answerOverloaded } from './overload.js';

/** The gateway checks (contract section 5.5) for routes that take no permit: only requests with a valid key pass. */
export const freeGateway =
  ({
    admitSentKey,
    sentKeys,
  }: {
    readonly admitSentKey: AdmitSentKey;
    readonly sentKeys: SentKeys;
  }): Middleware =>
  async (ctx, next) => {
    const { req: request, state, querystring } = ctx;
    const sent = sentKeys.of(request.socket, readHeaders(request.rawHeaders), querystring);
    const admission = await admitSentKey(sent, rangesOf(state.address), 0);
    if (admission === 'overloaded') return answerOverloaded(ctx);
    state.limits = admission.limits;
    state.key = admission.key;
    if (!admission.admitted) return writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx)));
    state.plan = admission.plan;
    await next();
  };

/** The problem of a gateway refusal. A 401 has a `WWW-Authenticate` challenge (D37). */
export function gatewayProblem(refusal: Refusal, request: ProblemContext): Problem {
  const problem = refusalProblem(refusal, request);
  if (problem.status !== statusOf('key_missing')) return problem;
  const error = refusal.refused === 'key_missing' ? '' : ', error="invalid_token"';
  return {
    ...problem,
    headers: { ...problem.headers, 'WWW-Authenticate': `Bearer realm="oddswire"${error}` },
  };
}
