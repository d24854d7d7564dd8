import type { FeedMessage, Problem } from '@oddswire/client';

/** Where a client under test reads, and how. Times are in seconds. */
export type At = {
  readonly url: string;
  readonly key: string;
  readonly retries?: number;
  readonly timeoutSeconds?: number;
};

export type Method = 'page' | 'walk' | 'history' | 'markets' | 'walkMarkets' | 'usage' | 'key' | 'status';

/** The parameters of the API, as JSON has them. */
export type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** An `OddswireError`, the same in every language. */
export type Failure = {
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly message: string;
  readonly problem: Problem | null;
};

/** What a call returned, as JSON. */
export type Outcome = {
  /** The page or the object; of a walk or a history, the values that were taken. */
  readonly value: unknown;
  /** Of a page, a walk or a history. */
  readonly position: string | null;
  readonly failure: Failure | null;
};

/** A call of `follow` that runs in the background. */
export type Following = {
  readonly messages: readonly FeedMessage[];
  /** Aborts the call. No message comes after it has ended. */
  readonly stop: () => void;
  /** Resolves when the loop ends, with the reason; null if it was aborted. */
  readonly ended: Promise<Failure | null>;
};

/** A client of the API in one language. */
export type TestedClient = {
  readonly language: string;
  /** Takes at most `take` values of a walk or a history, and then leaves the loop. */
  readonly call: (at: At, method: Method, query?: Query, take?: number) => Promise<Outcome>;
  readonly follow: (at: At, query?: Query, options?: FollowingOptions) => Following;
  /** Moves the clock that the program sees, and not the one of the service. 0 restores it. */
  readonly shiftClock: (seconds: number) => Promise<void>;
};

export type FollowingOptions = {
  /** Aborts the call while the program has the first item. */
  readonly stopsAtItem?: boolean;
  /** How long the program takes for each item. */
  readonly itemSeconds?: number;
};

export const ended = (outcome: Outcome): string => outcome.failure?.code ?? 'it did not fail';
