import type { CountFreeCall } from '../../../application/limits/count-free-call.js';
import type { KeyFormat } from '../../../domain/keys/key-value.js';
import type { Refusal } from '../../../domain/refusal.js';
import {
  type Problem,
  type ProblemContext,
  problemContext,
  refusalProblem,
  statusOf,
  writeProblem,
} from '../answer/problem.js';
import { ignoredIn, knownParameters, setIgnored } from '../ignored-parameters.js';
import { carriersOfDifferentKeys, type KeyHeaders } from '../keys/credential.js';
import type { SentKeys } from '../keys/sent-keys.js';
import { rangesOf } from '../listener/client-address.js';
import { readHeaders } from '../read-headers.js';
import type { Middleware } from '../state.js';
import type { AdmitSentKey } from './admit-sent-key.js';
import { answerOverloaded } from './overload.js';

/** The routes that take no permit have no parameters besides the key. */
const KNOWN = knownParameters({});

/** The gateway checks (contract section 5.5) for routes that take no permit: only requests with a valid key pass. */
export const freeGateway =
  ({
    admitSentKey,
    sentKeys,
    countFreeCall,
    keyFormat,
  }: {
    readonly admitSentKey: AdmitSentKey;
    readonly sentKeys: SentKeys;
    readonly countFreeCall: CountFreeCall;
    readonly keyFormat: KeyFormat;
  }): Middleware =>
  async (ctx, next) => {
    const { req: request, state, querystring } = ctx;
    const headers = readHeaders(request.rawHeaders);
    const sent = sentKeys.of(request.socket, headers, querystring);
    const admission = await admitSentKey(sent, rangesOf(state.address), 0);
    if (admission === 'overloaded') return answerOverloaded(ctx);
    state.limits = admission.limits;
    state.key = admission.key;
    if (state.key !== null) setIgnored(ctx, ignoredIn(querystring, KNOWN, keyFormat));
    if (!admission.admitted) {
      const carried = { headers, querystring };
      return writeProblem(ctx, gatewayProblem(admission.refusal, problemContext(ctx), carried));
    }
    state.plan = admission.plan;
    const refusal = await countFreeCall(admission.subscription);
    if (refusal !== null) return writeProblem(ctx, gatewayProblem(refusal, problemContext(ctx), null));
    await next();
  };

/** The parts of a request that can carry keys. */
type Carried = { readonly headers: KeyHeaders; readonly querystring: string };

/**
 * The problem of a gateway refusal. A 401 has a `WWW-Authenticate` challenge (D37). `carried` is null if a stream ends
 * after it has started, and for agents, which send a key in one place only.
 */
export function gatewayProblem(refusal: Refusal, request: ProblemContext, carried: Carried | null): Problem {
  const problem = refusalProblem(refusal, request);
  if (problem.status !== statusOf('key_missing')) return problem;
  const isMissing = refusal.refused === 'key_missing';
  const error = isMissing ? '' : ', error="invalid_token"';
  // Keys in the query do not count where they are not allowed. The detail then names the headers.
  const detail = carried === null || isMissing ? undefined : differentKeysDetail(carried, request);
  return {
    ...problem,
    ...(detail !== undefined && { document: { ...problem.document, detail } }),
    headers: { ...problem.headers, 'WWW-Authenticate': `Bearer realm="oddswire"${error}` },
  };
}

/** The detail for a request that sends different keys (D16); undefined for any other. It names carriers, and no key. */
function differentKeysDetail(
  { headers, querystring }: Carried,
  { references }: ProblemContext,
): string | undefined {
  const carriers = carriersOfDifferentKeys(headers, querystring).map((carrier) => `\`${carrier}\``);
  if (carriers.length === 0) return undefined;
  const outcome =
    carriers.length === 1
      ? 'None of them counts.'
      : 'Only the key in the place that takes precedence counts, and it is not valid.';
  return `The request sends different keys in ${carriers.join(' and ')}. ${outcome} Send one key, in one place. See ${references.docsUrl()}/authentication`;
}
