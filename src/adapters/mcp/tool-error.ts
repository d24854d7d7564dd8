import type { ApiAnswer, ApiProblem } from './api.js';
import { adviceOn } from './tool-advice.js';
import type { ArgumentFault } from './tool-arguments.js';

/** Why a call of a tool has no result, as an agent reads it. */
export type ToolError = {
  /** The code of the problem document, or one of the tools: `news_not_found`, `market_not_found`, `item_too_large`, `unreachable`. */
  readonly code: string;
  readonly detail: string;
  /** What to do about it. */
  readonly what_to_do: string;
  readonly errors?: readonly ArgumentFault[];
  readonly retry_after_seconds?: number;
  /** The id under which the service has logged the request. */
  readonly request_id?: string;
};

export const toolError = (
  code: string,
  detail: string,
  more: Omit<Partial<ToolError>, 'code' | 'detail'> = {},
): ToolError => ({ code, detail, what_to_do: adviceOn(code), ...more });

/** The error of a call whose arguments are not valid. No request was made, so it cost nothing. */
export const invalidArguments = (errors: readonly ArgumentFault[]): ToolError =>
  toolError('invalid_parameter', 'One or more arguments are not valid. `errors` says what is valid.', {
    errors,
  });

/** An answer of the API that is an error. */
export function failedAnswer({ json, retryAfterSeconds }: ApiAnswer): ToolError {
  const { code, detail = '', errors, causes, violated_policies, request_id } = (json ?? {}) as ApiProblem;
  if (code === undefined) return toolError('unreachable', 'The service gave no answer that can be read.');
  return toolError(code, detail, {
    ...(errors && { errors }),
    ...(causes && { causes }),
    ...(violated_policies && { violated_policies }),
    ...(request_id !== undefined && { request_id }),
    ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }),
  });
}
