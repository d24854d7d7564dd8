import type { OddswireError } from './errors.js';
import type { FollowQuery, HistoryQuery } from './query.js';

export type Options = {
  /** The address of the service, without a path: `https://api.example.com`. */
  readonly url: string;
  /** An API key. The type admits what `process.env` has; without a value the constructor throws `invalid_options`. */
  readonly key: string | undefined;
  /** The attempts after a transient failure of a request; default 5. `follow` has no limit. */
  readonly retries?: number;
  /** The longest wait for one response, in milliseconds; default 30 s. In a history: for the next bytes. */
  readonly timeoutMs?: number;
  /** The longest `Retry-After` that is waited for, in milliseconds; default 2 minutes. A longer one is thrown. */
  readonly maxWaitMs?: number;
  /** Called before each wait for a new attempt, also of `follow`: what failed, and the wait in milliseconds. */
  readonly onRetry?: (error: OddswireError, waitMs: number) => void;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
};

export type RequestOptions = { readonly signal?: AbortSignal | undefined };

export type FollowOptions = FollowQuery & RequestOptions;

export type HistoryOptions = HistoryQuery & RequestOptions;
