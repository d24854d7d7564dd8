import type { SuspensionCause } from '../../../domain/keys/suspension.js';
import type { Fault, Refusal, RefusalCode } from '../../../domain/refusal.js';
import type { Context } from '../state.js';

/** What goes wrong with a request before any rule is asked, or with the service itself. */
export type FaultCode =
  | 'bad_request'
  | 'header_too_large'
  | 'uri_too_long'
  | 'method_not_allowed'
  | 'unauthorized'
  | 'forbidden'
  | 'invalid_signature'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'overloaded'
  | 'unavailable'
  | 'internal';

export type ProblemCode = RefusalCode | FaultCode;

const HOLD =
  'This is a hold on the subscription behind the key, not a price for this request: paying per call will not lift it.';

/** What the outside calls each refusal and fault (RFC 9457, D32). A code without a row does not compile. */
// biome-ignore format: a table is read by its columns
const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string, detail: string]>> = {
  bad_request:             [400, 'Bad request', 'The request is not well-formed HTTP. Send one Host header and check the request line.'],
  invalid_parameter:       [400, 'Invalid parameter', 'One or more query parameters are not valid; `errors` names each of them.'],
  invalid_body:            [400, 'Invalid body', 'The body is not what this call takes; `errors` names what is wrong with it.'],
  invalid_signature:       [400, 'Invalid signature', 'The body is not signed with a secret of this webhook, or was not signed within the last 300 seconds.'],
  key_missing:             [401, 'No API key', 'Send a key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.'],
  key_unknown:             [401, 'Unknown API key', 'No such key exists. Check that it was copied whole.'],
  key_revoked:             [401, 'API key revoked', 'The key was revoked, and its grace window, if it had one, is over. Generate a new key.'],
  unauthorized:            [401, 'Not authorized', 'Send the token of this listener as `Authorization: Bearer <token>`.'],
  key_suspended:           [402, 'API key suspended', `${HOLD} The key works again, unchanged, once what stands in \`causes\` is settled.`],
  payment_required:        [402, 'Payment required', `${HOLD} Pay the open invoices and the key works again.`],
  subscription_incomplete: [402, 'Subscription incomplete', `${HOLD} Its first payment has not gone through yet.`],
  subscription_paused:     [402, 'Subscription paused', `${HOLD} Resume the subscription and the key works again.`],
  insufficient_scope:      [403, 'Insufficient scope', 'The key does not have the scope that this endpoint asks for. Generate a new key to receive it.'],
  forbidden:               [403, 'Forbidden', 'This token is not for this call: publishers publish, operators do everything else.'],
  not_found:               [404, 'Not found', 'There is nothing here. Paths are exact, in case and trailing slash.'],
  method_not_allowed:      [405, 'Method not allowed', 'This path does not take that method; `Allow` lists those it takes.'],
  account_exists:          [409, 'Account exists', 'Another account has this e-mail address or this processor customer.'],
  account_linked:          [409, 'Account linked', 'The account is another customer of the payment processor already.'],
  payments_not_configured: [409, 'Payments not configured', 'The webhook secret of the payment processor is not set, so the service cannot learn of payments. Set STRIPE_WEBHOOK_SECRET.'],
  allowance_exceeded:      [409, 'Key allowance used up', 'The plan allows no further key. Rotate or revoke one instead.'],
  rotation_open:           [409, 'Rotation under way', 'The key is already one of two in a rotation. Retire the older one first, or revoke the newer one.'],
  no_replacement:          [409, 'No replacement', 'A key is retired for a newer one, and the account has no active key issued after it. Issue one first.'],
  changed_meanwhile:       [409, 'Changed meanwhile', 'The keys of the account are not those that were seen. Look again, and decide anew.'],
  payload_too_large:       [413, 'Body too large', 'The body, or one part of it, is larger than this call takes.'],
  uri_too_long:            [414, 'Query too long', 'A query string may have at most 4096 bytes.'],
  unsupported_media_type:  [415, 'Unsupported media type', 'This call takes another Content-Type, and no Content-Encoding.'],
  rate_limited:            [429, 'Too many requests', 'The limit named in `violated_policies` is used up. Wait for `Retry-After` seconds.'],
  header_too_large:        [431, 'Header too large', 'The request line and headers together may have at most 16 KB.'],
  internal:                [500, 'Internal error', 'The service made a mistake. It has been recorded under `request_id`.'],
  overloaded:              [503, 'Overloaded', 'The service has too many requests in hand. Try again in a moment.'],
  unavailable:             [503, 'Unavailable', 'A part of the service does not answer, or takes no changes for now. Try again in a moment.'],
};

/** Members of a problem document beyond those that every one has (D32). */
type Extension = {
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  readonly causes?: readonly SuspensionCause[];
  readonly violated_policies?: readonly string[];
};

export const statusOf = (code: ProblemCode): number => PROBLEMS[code][0];

/** What a problem says of its request: the path, as it may be written down, and the id. */
export type ProblemContext = { readonly instance: string; readonly requestId: string };

/** The document itself, for those who write bytes (`parser-errors.ts`). */
export function problemDocument(
  code: ProblemCode,
  status: number,
  request: ProblemContext,
  extension: Extension = {},
) {
  const [, title, detail] = PROBLEMS[code];
  const { instance, requestId: request_id } = request;
  return {
    type: `urn:oddswire:problem:${code}`,
    title,
    status,
    detail,
    instance,
    code,
    request_id,
    ...extension,
  };
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A problem as an answer, before anything is written. */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: ReturnType<typeof problemDocument>;
};

/** Problems that are over in a moment. */
const PASSING: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['overloaded', 'unavailable']);

export function problem(
  code: ProblemCode,
  request: ProblemContext,
  extension: Extension = {},
  status: number = statusOf(code),
): Problem {
  const headers = { 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE };
  return {
    status,
    headers: PASSING.has(code) ? { ...headers, 'Retry-After': '1' } : headers,
    document: problemDocument(code, status, request, extension),
  };
}

/** The problem that a "no" of the rules is outside. `statuses` are for codes that mean something else here. */
export function refusalProblem(
  refusal: Refusal,
  request: ProblemContext,
  statuses: Partial<Record<RefusalCode, number>> = {},
): Problem {
  const made = problem(refusal.refused, request, extensionOf(refusal), statuses[refusal.refused]);
  if (refusal.refused !== 'rate_limited') return made;
  return { ...made, headers: { ...made.headers, 'Retry-After': String(refusal.retryAfterSeconds) } };
}

export function writeProblem(ctx: Context, { status, headers, document }: Problem): void {
  ctx.status = status;
  ctx.body = document;
  ctx.set(headers);
}

export function answerProblem(
  ctx: Context,
  code: ProblemCode,
  extension: Extension = {},
  status: number = statusOf(code),
): void {
  writeProblem(ctx, problem(code, problemContext(ctx), extension, status));
}

/** Answers a "no" of the rules. */
export function answerRefusal(
  ctx: Context,
  refusal: Refusal,
  statuses: Partial<Record<RefusalCode, number>> = {},
): void {
  writeProblem(ctx, refusalProblem(refusal, problemContext(ctx), statuses));
}

export const problemContext = ({ state }: Context): ProblemContext => ({
  instance: state.path,
  requestId: state.requestId,
});

function extensionOf(refusal: Refusal): Extension {
  switch (refusal.refused) {
    case 'key_suspended':
      return { causes: refusal.causes };
    case 'payment_required':
    case 'subscription_incomplete':
    case 'subscription_paused':
      return { causes: [] };
    case 'rate_limited':
      return { violated_policies: refusal.violated };
    case 'invalid_parameter':
    case 'invalid_body':
      return { errors: refusal.faults };
    case 'not_found':
      return { detail: `There is no such ${refusal.what}.` };
    case 'allowance_exceeded':
      return { detail: `The plan allows ${refusal.allowance} at once. Rotate or revoke one instead.` };
    default:
      return {};
  }
}
