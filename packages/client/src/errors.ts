import type { KnownProblemCode, Problem } from './api.js';
import { isObject, parsed } from './json.js';

/**
 * Codes of the client itself. `connection_failed`: no complete response arrived. `timed_out`: it did not arrive in time.
 * `invalid_response`: the response is not one of the service, for example the page of a proxy. `cursor_not_advancing`: a
 * page leads to itself or to a newer one. `invalid_options`: the message names the option. `invalid_webhook`: the service
 * did not send the delivery, or not now.
 */
export type ClientCode =
  | 'connection_failed'
  | 'timed_out'
  | 'invalid_response'
  | 'cursor_not_advancing'
  | 'invalid_options'
  | 'invalid_webhook';

/** A newer service can have further codes. A refusal without a problem document has the code `http_<status>`. */
export type ErrorCode = KnownProblemCode | ClientCode | (string & Record<never, never>);

/** Every failure of a request. Decide by `code`; texts may change. */
export class OddswireError extends Error {
  override readonly name = 'OddswireError';
  readonly code: ErrorCode;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** The time to wait before the next request, if the service states one. */
  readonly retryAfterSeconds: number | null;
  /** The problem document (RFC 9457); null if there was none. */
  readonly problem: Problem | null;

  constructor(
    code: ErrorCode,
    message: string,
    details: {
      readonly status?: number;
      readonly retryAfterSeconds?: number | null;
      readonly problem?: Problem | null | undefined;
      /** The failure of the connection, without the key. */
      readonly cause?: Error;
    } = {},
  ) {
    super(`${code}: ${message}`, details.cause && { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.problem = details.problem ?? null;
  }
}

/** The caught error, if it is one of these. Any other is thrown. */
export function failureIn(error: unknown): OddswireError {
  if (error instanceof OddswireError) return error;
  throw error;
}

export const invalidOptions = (message: string): OddswireError =>
  new OddswireError('invalid_options', message);

export const invalidResponse = (message: string, status = 200): OddswireError =>
  new OddswireError('invalid_response', message, { status });

export const walkWouldNotEnd = (): OddswireError =>
  new OddswireError('cursor_not_advancing', 'The walk would not end. A proxy may repeat a page.');

/** The error of a response that is no success. */
export function refusalOf(status: number, retryAfterSeconds: number | null, text: string): OddswireError {
  const problem = problemIn(text);
  const code = problem?.code ?? `http_${status}`;
  const message = [problem?.detail ?? 'The response has no problem document.', ...faultTexts(problem)].join(
    ' ',
  );
  return new OddswireError(code, message, { status, retryAfterSeconds, problem });
}

/** Why the service ends a stream or a range that it has begun. Without a problem, it only needs the connection. */
export function endedByService({
  problem,
  retry_after_seconds,
}: {
  readonly problem?: Problem | null | undefined;
  readonly retry_after_seconds: number | null;
}): OddswireError {
  const { code = 'unavailable', detail = 'The service needs the connection.', status = 503 } = problem ?? {};
  return new OddswireError(code, detail, { status, retryAfterSeconds: retry_after_seconds, problem });
}

/** What is wrong with each parameter: without it, the message of a 400 does not help. */
const faultTexts = (problem: Problem | null): readonly string[] =>
  (Array.isArray(problem?.errors) ? problem.errors : [])
    .filter(isObject)
    .map(({ parameter, message }) => `\`${parameter}\` ${message}.`);

const isProblem = (value: unknown): value is Problem => isObject(value) && typeof value['code'] === 'string';

function problemIn(text: string): Problem | null {
  const value = parsed(text);
  return isProblem(value) ? value : null;
}
