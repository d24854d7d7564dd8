import { Unavailable } from '../../application/unavailable.js';

/**
 * A response that does not match the documentation of the provider. The message must not contain any part of the
 * response.
 */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** Error codes of the library for a callback or a response that belongs to another flow or is a refusal. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR', // The person or the provider refused.
  'OAUTH_INVALID_RESPONSE', // The state of another flow, another issuer, no code.
  'OAUTH_UNSUPPORTED_OPERATION', // A response type that was not requested.
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED', // An ID token for another nonce or client.
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', // Userinfo of another person.
]);

/** Errors of the token endpoint for a wrong or used code in the callback. The last two are specific to GitHub. */
const GRANT_REFUSALS: ReadonlySet<unknown> = new Set([
  'invalid_grant',
  'bad_verification_code',
  'unverified_user_email',
]);

/**
 * The result of `ask`. Null if the callback or the response of the provider does not belong to this flow, or is a
 * refusal.
 */
export async function withErrorMapping<Answer>(
  provider: string,
  ask: () => Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await ask();
  } catch (fault) {
    if (isRefusal(partsOf(fault))) return null;
    throw unavailable(provider, fault);
  }
}

/**
 * The cause is a new error, because the log writes every field of an error. The errors of the library contain whole
 * responses with tokens, and queries with codes.
 */
export function unavailable(provider: string, fault: unknown): Unavailable {
  const cause = new Error(reasonOf(fault));
  const frames = fault instanceof Error ? (fault.stack?.match(/^ {4}at .*$/gm) ?? []) : [];
  cause.stack = [String(cause), ...frames].join('\n');
  return new Unavailable(provider, cause);
}

type FaultParts = {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly error?: unknown;
  readonly status?: unknown;
  readonly cause?: unknown;
  /** Of a token whose times are not valid, with our time in seconds. */
  readonly now?: unknown;
  readonly claims?: Readonly<Record<string, unknown>>;
};

const partsOf = (fault: unknown): FaultParts =>
  typeof fault === 'object' && fault !== null ? (fault as FaultParts) : {};

const isRefusal = ({ code, error }: FaultParts): boolean => REFUSALS.has(code) || GRANT_REFUSALS.has(error);

/**
 * Errors with fixed messages. Messages of other errors may contain parts of the response: an error of JSON.parse starts
 * with the text that it cannot read.
 */
const FIXED_MESSAGES: ReadonlySet<unknown> = new Set([
  'ClientError',
  'ResponseBodyError',
  'WWWAuthenticateChallengeError',
  'BadAnswer',
]);

/**
 * The reason for the log. Example: `unexpected HTTP response status code (OAUTH_RESPONSE_IS_NOT_CONFORM, HTTP 503)`.
 */
export function reasonOf(fault: unknown): string {
  const { name, message } = partsOf(fault);
  const reason = clockReason(fault) ?? String(FIXED_MESSAGES.has(name) ? message : (name ?? 'unknown error'));
  const details = new Set(detailsOf(fault));
  return details.size === 0 ? reason : `${reason} (${[...details].join(', ')})`;
}

/** How the clocks differ, if a token was refused because of the times in it. Null for another fault. */
function clockReason(fault: unknown): string | null {
  const { code, cause } = partsOf(fault);
  if (code !== 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return null;
  const { now, claims } = partsOf(cause);
  if (typeof now !== 'number' || claims === undefined) return clockReason(cause);
  // The token was issued a moment ago.
  const ahead = Math.round(Number(claims['iat'] ?? claims['nbf']) - now);
  if (Number.isNaN(ahead)) return 'the times in its token are not valid now';
  return `its clock is about ${Math.abs(ahead)} s ${ahead < 0 ? 'behind' : 'ahead of'} ours: set both clocks by NTP`;
}

function detailsOf(fault: unknown): readonly string[] {
  const { code, error, status, cause } = partsOf(fault);
  return [
    ...(isCode(code) ? [code] : []),
    ...(isCode(error) ? [error] : []),
    ...(typeof status === 'number' ? [`HTTP ${status}`] : []),
    ...(cause === undefined ? [] : detailsOf(cause)),
  ];
}

const isCode = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z_]{1,60}$/.test(value);
