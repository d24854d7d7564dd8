import type { Position } from '../../../domain/feed/position.js';
import type { Moment } from '../../../domain/moment.js';
import { ownValue } from '../../../domain/own-value.js';
import type { Refusal } from '../../../domain/refusal.js';
import { type Problem, type ProblemCode, type ProblemContext, problemCodes } from '../answer/problem.js';
import { gatewayProblem } from '../limits/gateway.js';

/** The codes of all problems that customers can get. Each can be asked for in the sandbox (D77). */
export const TEST_CODES: readonly ProblemCode[] = problemCodes('customer');

/** What the details of some problems say of the request and the feed. */
export type TestDetails = {
  readonly address: string;
  readonly head: Moment;
  readonly start: { readonly position: Position; readonly knownAt: Moment };
};

type Samples = { readonly [Code in Refusal['refused']]?: Refusal<Code> };

/** The refusals with details, as real ones are. */
const samples = ({ address, head, start }: TestDetails): Samples => ({
  key_suspended: { refused: 'key_suspended', causes: ['payment_failure'] },
  rate_limited: { refused: 'rate_limited', violated: ['minute'], retryAfterSeconds: 1 },
  address_not_allowed: { refused: 'address_not_allowed', address },
  invalid_parameter: {
    refused: 'invalid_parameter',
    faults: [{ parameter: 'limit', code: 'out_of_range', message: 'must be from 1 to 500' }],
  },
  not_found: { refused: 'not_found', what: 'path' },
  before_history: { refused: 'before_history', start },
  position_expired: { refused: 'position_expired', feedHead: head },
});

/** Headers that only some answers have, and that are no details of the problem. */
const HEADERS: Partial<Readonly<Record<ProblemCode, Readonly<Record<string, string>>>>> = {
  method_not_allowed: { Allow: 'GET, HEAD, OPTIONS' },
  unsupported_media_type: { Accept: 'application/json' },
};

/** The documented problem of a code, with the headers of real ones. Codes without details need only the code. */
export function testProblem(code: ProblemCode, details: TestDetails, context: ProblemContext): Problem {
  const refusal = ownValue(samples(details), code) ?? ({ refused: code } as Refusal);
  const problem = gatewayProblem(refusal, context, null);
  return { ...problem, headers: { ...problem.headers, ...HEADERS[code] } };
}
