import { type PositionToken, positionToken } from '../../../domain/feed/position.js';
import type { SuspensionCause } from '../../../domain/keys/suspension.js';
import { NO_SLOT_RETRY_SECONDS } from '../../../domain/limits/streams.js';
import type { Moment } from '../../../domain/moment.js';
import type { Fault, Refusal, RefusalCode } from '../../../domain/refusal.js';
import type { Context } from '../state.js';
import { includesReader, type Reader, type Readers } from './readers.js';
import { rateLimitText, tooLongAgoText } from './refusal-details.js';
import type { ProblemReferences } from './service-links.js';

/** Faults of a request that no domain rule covers, and failures of the service itself. */
export type FaultCode =
  | 'bad_request'
  | 'header_too_large'
  | 'uri_too_long'
  | 'method_not_allowed'
  | 'unauthorized'
  | 'forbidden'
  | 'source_not_allowed'
  | 'invalid_signature'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'overloaded'
  | 'unavailable'
  | 'internal';

export type ProblemCode = RefusalCode | FaultCode;

/** Readers, status, title and detail of each refusal and fault (RFC 9457, D32). A code without a row does not compile. */
// biome-ignore format: a table is read by its columns
const PROBLEMS: Readonly<Record<ProblemCode, readonly [readers: Readers, status: number, title: string, detail: string]>> = {
  bad_request:             ['both',     400, 'Bad request', 'The request is not valid HTTP. Check the request line, and send exactly one Host header.'],
  invalid_parameter:       ['both',     400, 'Invalid parameter', 'One or more parameters are not valid. `errors` says what is valid.'],
  invalid_body:            ['operator', 400, 'Invalid body', 'The body is not valid. `errors` says what is valid.'],
  invalid_signature:       ['operator', 400, 'Invalid signature', 'The signature matches no webhook secret, or is not from the last 300 seconds. Check STRIPE_WEBHOOK_SECRET and the clocks.'],
  key_missing:             ['customer', 401, 'No API key', 'Send a key as `Authorization: Bearer <key>` or `X-API-Key: <key>`.'],
  key_unknown:             ['customer', 401, 'Unknown API key', 'The key does not exist. Check that you copied all of it.'],
  key_revoked:             ['both',     401, 'API key revoked', 'The key is revoked and no longer works. Create a new key.'],
  unauthorized:            ['operator', 401, 'Not authorized', 'Send a valid token as `Authorization: Bearer <token>`.'],
  key_suspended:           ['both',     402, 'API key suspended', 'The same key works again once the `causes` are resolved.'],
  payment_required:        ['both',     402, 'Payment required', 'Requests are served again when every open invoice is paid. Pay the open invoice at {plan}'],
  subscription_incomplete: ['both',     402, 'Subscription incomplete', 'Requests are served when the first payment is complete. Complete it at {plan}'],
  subscription_paused:     ['both',     402, 'Subscription paused', 'Requests are served again when the subscription is resumed. Resume it at {plan}'],
  address_not_allowed:     ['customer', 403, 'Address not allowed', 'The key may not be used from this address. The owner of the key can allow it in the dashboard.'],
  insufficient_scope:      ['customer', 403, 'Insufficient scope', 'The key does not have the scope for this path. Create a new key to get it.'],
  forbidden:               ['operator', 403, 'Forbidden', 'This token cannot make this call. Use the publisher token for news, and the operator token for all other calls.'],
  source_not_allowed:      ['customer', 403, 'Source not allowed', 'The `Host` or the `Origin` of the request is not the address of this service. Use that address. Operators set it in PUBLIC_URL.'],
  not_found:               ['both',     404, 'Not found', 'The path does not exist. Check upper and lower case, and remove a slash at the end.'],
  method_not_allowed:      ['both',     405, 'Method not allowed', 'This path does not support this method. The `Allow` header lists the supported methods.'],
  account_exists:          ['operator', 409, 'Account exists', 'Another account has this email address or this customer of the payment processor.'],
  account_linked:          ['operator', 409, 'Account already linked', 'The account is already linked to another customer of the payment processor.'],
  account_deleted:         ['operator', 409, 'Account deleted', 'The account is deleted and does not change any more. Open a new account.'],
  subscription_running:    ['operator', 409, 'Subscription running', 'The payment processor has reported a subscription of this account, and not its end. Cancel it there, and delete the account when it is `canceled`. The report can be in a payment event that is `failed` or `waiting`: replay that event.'],
  payments_not_configured: ['operator', 409, 'Payments not configured', 'Without a webhook secret the service receives no payment events. Set STRIPE_WEBHOOK_SECRET.'],
  allowance_exceeded:      ['operator', 409, 'Key limit reached', 'The key limit of the plan is reached. Rotate a key to replace it, or revoke one first.'],
  too_many_keys:           ['operator', 409, 'Too many new keys', 'The account has created too many keys. Use the ones that it has.'],
  rotation_open:           ['operator', 409, 'Rotation in progress', 'The key is already part of a rotation. Revoke one of the two keys first.'],
  no_replacement:          ['operator', 409, 'No replacement', 'The account has no active key that is newer than this one. Create one first.'],
  changed_meanwhile:       ['page',     409, 'Keys changed', 'The keys changed since you loaded them. Load them again and retry.'],
  too_many_destinations:   ['page',     409, 'Destination limit reached', 'The account has as many destinations as its plan allows.'],
  not_tested:              ['page',     409, 'Not tested', 'Nobody has answered a test of the destination yet.'],
  not_confirmed:           ['page',     409, 'Not confirmed', 'The owner of the mailbox has not confirmed it yet.'],
  stream_replaced:         ['customer', 409, 'Stream replaced', 'Another connection with the same key has resumed, and took the slot of this stream. Use one connection, or wait before you reconnect.'],
  before_history:          ['customer', 410, 'Before the history', 'The history of the feed begins later. `history_from` says where.'],
  position_expired:        ['customer', 410, 'Position expired', 'The changes after this position are no longer available. Read all pages of /pm/v2/news, then open a stream after the `Feed-Position` of the first page.'],
  payload_too_large:       ['both',     413, 'Body too large', 'The body is larger than this call accepts. Send a smaller body.'],
  uri_too_long:            ['both',     414, 'Query too long', 'The query string may have at most 4096 bytes.'],
  unsupported_media_type:  ['both',     415, 'Unsupported media type', 'Send a Content-Type from the `Accept` header of this response, without Content-Encoding.'],
  rate_limited:            ['both',     429, 'Too many requests', 'The limits in `violated_policies` are used up. Wait the seconds in `Retry-After`.'],
  too_many_reads:          ['customer', 429, 'Too many reads', 'Two reads of the past are in progress for this subscription, which is the most. Try again when one of them has ended.'],
  too_many_streams:        ['customer', 429, 'Too many streams', 'All streams of the plan are open. Close one, or wait the seconds in `Retry-After`: a connection that died without notice frees its stream then.'],
  header_too_large:        ['both',     431, 'Header too large', 'The request line and headers together may have at most 16 KB.'],
  internal:                ['both',     500, 'Internal error', 'An internal error occurred and was logged. If it happens again, report the `request_id`.'],
  overloaded:              ['both',     503, 'Overloaded', 'Too many requests are in progress. Try again in a moment.'],
  unavailable:             ['both',     503, 'Unavailable', 'The service or a dependency is unavailable or read-only. Try again in a moment.'],
};

/** Optional members of a problem document (D32). */
type Extension = {
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  readonly causes?: readonly SuspensionCause[];
  readonly violated_policies?: readonly string[];
  readonly feed_head?: Moment | null;
  readonly history_from?: { readonly position: PositionToken; readonly known_at: Moment };
};

export const statusOf = (code: ProblemCode): number => PROBLEMS[code][1];

/** Every problem code with its status and title, in the order of the statuses, for the documentation. */
export const problemTable = (): readonly {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly readers: Readers;
}[] =>
  (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => {
    const [readers, status, title] = PROBLEMS[code];
    return { code, status, title, readers };
  });

/** The codes that these readers can get. */
export const problemCodes = (reader: Reader): readonly ProblemCode[] =>
  problemTable().flatMap(({ code, readers }) => (includesReader(readers, reader) ? [code] : []));

/** The request in a problem document: its redacted path, its id, and what the document refers to. */
export type ProblemContext = {
  readonly instance: string;
  readonly requestId: string;
  readonly references: ProblemReferences;
};

/** Problems that end on the page of the plan. */
const PAID_ON_A_PAGE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'payment_required',
  'subscription_incomplete',
  'subscription_paused',
]);

/** The chapters that the details of common problems name. */
const CHAPTERS: Partial<Readonly<Record<ProblemCode, string>>> = {
  key_missing: '/authentication',
  key_unknown: '/authentication',
  key_revoked: '/authentication',
  not_found: '',
};

/** The detail of a problem, with the chapter to read if it has one. */
function detailOf(code: ProblemCode, { references }: ProblemContext): string {
  const [, , , text] = PROBLEMS[code];
  const detail = PAID_ON_A_PAGE.has(code) ? text.replace('{plan}', references.planUrl()) : text;
  const chapter = CHAPTERS[code];
  return chapter === undefined ? detail : `${detail} See ${references.docsUrl()}${chapter}`;
}

/** The problem document without status line and headers. `parser-errors.ts` writes these itself. */
export function problemDocument(
  code: ProblemCode,
  status: number,
  request: ProblemContext,
  extension: Extension = {},
) {
  const [, , title] = PROBLEMS[code];
  const { instance, requestId: request_id, references } = request;
  return {
    type: `${references.docsUrl()}/errors#${code}`,
    title,
    status,
    detail: extension.detail ?? detailOf(code, request),
    instance,
    code,
    request_id,
    ...extension,
  };
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** A problem as a response, before it is written. */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: ReturnType<typeof problemDocument>;
};

const TRANSIENT: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['overloaded', 'unavailable']);
const REQUEST_TIMEOUT = 408;

/** Problems that usually end soon have `Retry-After`. */
export const retryHeaders = (code: ProblemCode, status: number): Readonly<Record<string, string>> =>
  TRANSIENT.has(code) || status === REQUEST_TIMEOUT ? { 'Retry-After': '1' } : {};

export function problem(
  code: ProblemCode,
  request: ProblemContext,
  extension: Extension = {},
  status: number = statusOf(code),
): Problem {
  const { links: Link } = request.references;
  const headers = { 'Cache-Control': 'no-store', 'Content-Type': PROBLEM_TYPE, Link };
  return {
    status,
    headers: { ...headers, ...retryHeaders(code, status) },
    document: problemDocument(code, status, request, extension),
  };
}

/** The problem of a refusal. `statuses` replaces the statuses of codes that have another meaning on this route. */
export function refusalProblem(
  refusal: Refusal,
  request: ProblemContext,
  statuses: Partial<Record<RefusalCode, number>> = {},
): Problem {
  const extension = extensionOf(refusal, request.references);
  const base = problem(refusal.refused, request, extension, statuses[refusal.refused]);
  const seconds = retryAfterSeconds(refusal);
  return seconds === null ? base : { ...base, headers: { ...base.headers, 'Retry-After': String(seconds) } };
}

/** Null for a refusal that does not end by waiting. */
const retryAfterSeconds = (refusal: Refusal): number | null => {
  if (refusal.refused === 'rate_limited') return refusal.retryAfterSeconds;
  if (refusal.refused === 'too_many_reads') return 1;
  return refusal.refused === 'too_many_streams' ? NO_SLOT_RETRY_SECONDS : null;
};

export function writeProblem(ctx: Context, { status, headers, document }: Problem): void {
  ctx.state.code = document.code;
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

/** Answers with the problem of a refusal. */
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
  references: state.references,
});

const THE_OPERATOR = 'the operator of this service';

/** What the customer does about each cause. */
const REMEDIES: Readonly<Record<SuspensionCause, (references: ProblemReferences) => string>> = {
  payment_failure: ({ planUrl }) => `pay the open invoice at ${planUrl()}`,
  abuse: ({ support }) => `contact ${support ?? THE_OPERATOR}`,
  manual_hold: ({ support }) => `contact ${support ?? THE_OPERATOR}`,
};

function suspendedText(causes: readonly SuspensionCause[], references: ProblemReferences): string {
  const [, , , detail] = PROBLEMS.key_suspended;
  const remedies = causes.map((cause) => `For \`${cause}\`, ${REMEDIES[cause](references)}.`);
  return [detail, ...remedies].join(' ');
}

function extensionOf(refusal: Refusal, references: ProblemReferences): Extension {
  switch (refusal.refused) {
    case 'key_suspended':
      return { causes: refusal.causes, detail: suspendedText(refusal.causes, references) };
    case 'payment_required':
    case 'subscription_incomplete':
    case 'subscription_paused':
      return { causes: [] };
    case 'rate_limited':
      return { violated_policies: refusal.violated, detail: rateLimitText(refusal) };
    case 'address_not_allowed':
      return {
        detail: `The key may not be used from ${refusal.address}. The owner of the key can allow this address in the dashboard.`,
      };
    case 'too_many_streams':
    case 'too_many_reads':
      return { violated_policies: [] };
    case 'before_history': {
      const { position, knownAt } = refusal.start;
      return { history_from: { position: positionToken(position), known_at: knownAt } };
    }
    case 'position_expired':
      return {
        feed_head: refusal.feedHead,
        ...(refusal.keptDays !== undefined && { detail: tooLongAgoText(refusal.keptDays) }),
      };
    case 'invalid_parameter':
    case 'invalid_body':
      return { errors: refusal.faults };
    case 'not_found':
      return { detail: `There is no such ${refusal.what}.` };
    case 'allowance_exceeded':
      return {
        detail: `The plan limit of ${refusal.allowance} ${refusal.allowance === 1 ? 'key' : 'keys'} is reached. Rotate a key to replace it, or revoke one first.`,
      };
    case 'too_many_keys':
      return {
        detail:
          refusal.nextAt === null
            ? `The account has created ${refusal.limit} keys, which is the most. Use the ones that it has.`
            : `The account has created ${refusal.limit} keys in 24 hours, which is the most. The next one can be created at ${refusal.nextAt}.`,
      };
    default:
      return {};
  }
}
