import type { Fault } from '../../domain/refusal.js';

/** The requests that tools make. */
export type ApiPath = '/pm/v2/news' | '/pm/v2/stream' | '/pm/v2/history' | '/pm/v2/markets' | '/pm/v2/usage';

/** The parameters of a request, by name. */
export type Query = Readonly<Record<string, string>>;

/** The answer of the REST API to one of them. */
export type ApiAnswer = {
  readonly status: number;
  /** The body; null if it is not JSON. */
  readonly json: unknown;
  /** The header `Feed-Position`, which pages have. */
  readonly feedPosition: string | null;
  /** The header `Retry-After`. */
  readonly retryAfterSeconds: number | null;
};

/**
 * Makes a request with the key of the agent. A request to the stream is for one batch, one to the
 * history for one page. Errors of every kind, also an
 * unreachable service, are answers.
 */
export type CallApi = (path: ApiPath, query: string) => Promise<ApiAnswer>;

/** What an error of the API says, as far as it is a problem document. */
export type ApiProblem = {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly Fault[];
  readonly causes?: readonly string[];
  readonly violated_policies?: readonly string[];
  readonly request_id?: string;
};
