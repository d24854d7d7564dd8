import { Unavailable } from '../../application/unavailable.js';

/** An answer that is not what the provider's documents promise. Its message must hold nothing of the answer. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** What the library calls an answer that belongs to something else, or says no. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR', // The person or the provider said no.
  'OAUTH_INVALID_RESPONSE', // Another flow's state, another issuer, no code.
  'OAUTH_UNSUPPORTED_OPERATION', // The answer to a question that was not asked.
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED', // An ID token for another nonce or client.
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', // Userinfo about somebody else.
]);

/** Why no token was given, where that is no fault of ours. The last two are GitHub's own. */
const GRANT_REFUSALS: ReadonlySet<unknown> = new Set([
  'invalid_grant',
  'bad_verification_code',
  'unverified_user_email',
]);

/** What the provider answers to us; null where that, or what a browser brought from it, is none for this flow. */
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
 * The cause is told anew: the library's faults hold whole answers, with tokens, and queries, with codes,
 * and the log writes whatever a fault holds.
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
};

const partsOf = (fault: unknown): FaultParts =>
  typeof fault === 'object' && fault !== null ? (fault as FaultParts) : {};

const isRefusal = ({ code, error }: FaultParts): boolean => REFUSALS.has(code) || GRANT_REFUSALS.has(error);

/** Those whose messages are fixed words. Others may quote: a fault of JSON.parse begins with what it could not read. */
const FIXED_MESSAGES: ReadonlySet<unknown> = new Set([
  'ClientError',
  'ResponseBodyError',
  'WWWAuthenticateChallengeError',
  'BadAnswer',
]);

/** `unexpected HTTP response status code (OAUTH_RESPONSE_IS_NOT_CONFORM, HTTP 503)`. */
function reasonOf(fault: unknown): string {
  const { name, message } = partsOf(fault);
  const reason = String(FIXED_MESSAGES.has(name) ? message : (name ?? 'a fault without a name'));
  const details = new Set(detailsOf(fault));
  return details.size === 0 ? reason : `${reason} (${[...details].join(', ')})`;
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
