import { checkOptions } from './check-options.js';
import { ConnectionErrors } from './connection-errors.js';
import { failureIn, invalidResponse, OddswireError, refusalOf } from './errors.js';
import { ignoredParameter } from './honoured.js';
import { parsed } from './json.js';
import type { Options, RequestOptions } from './options.js';
import type { FollowQuery, HistoryQuery, PageQuery } from './query.js';
import { retryAfterSeconds, retryDelayMs } from './retry.js';
import { type LinkedAbort, linkedAbort, pause, TIMER_MAX_MS } from './waiting.js';

/** A response with status 200 whose body is not read yet, and the connection that it comes on. */
export type Opened = { readonly response: Response; readonly connection: LinkedAbort };

type FeedQuery = PageQuery | FollowQuery | HistoryQuery;

export type Get = RequestOptions & {
  readonly path: string;
  readonly accept: string;
  readonly timeoutMs?: number;
  readonly isPublic?: boolean;
  /** The parameters of a request to the feed. A response that did not honour one of them is an error. */
  readonly query?: FeedQuery;
};

/** Sends requests with the key. The key is in no property, and in no error. */
export class Transport {
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
  /** Makes the errors of connections to the service. */
  readonly errors: ConnectionErrors;
  readonly #base: string;
  readonly #key: string;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  readonly #onRetry: Options['onRetry'];

  constructor(options: Options) {
    const { base, key } = checkOptions(options);
    const { retries = 5, timeoutMs = 30_000, maxWaitMs = 120_000, fetch: given, onRetry } = options;
    this.#base = base;
    this.#key = key;
    this.#onRetry = onRetry;
    this.errors = new ConnectionErrors(base, key);
    this.#retries = retries;
    this.timeoutMs = timeoutMs;
    this.maxWaitMs = maxWaitMs;
    // A browser refuses `fetch` as a method of another object.
    this.#fetch = given ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** The JSON of a response and its headers. Repeats the request after a transient failure. */
  async json<Body>(
    path: string,
    isBody: (value: unknown) => value is Body,
    { isPublic = false, ...options }: Omit<Get, 'path' | 'accept'> = {},
  ): Promise<{ readonly body: Body; readonly headers: Headers }> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.once({ path, accept: 'application/json', isPublic, ...options }, isBody);
      } catch (error) {
        const failure = failureIn(error);
        const ms = this.retryMs(failure, attempt);
        if (ms === null) throw failure;
        await this.waitAfter(failure, ms, options.signal);
      }
    }
  }

  /** The wait before the next attempt; null if the failure is final, or the request was repeated often enough. */
  retryMs(failure: OddswireError, attempt: number): number | null {
    return attempt < this.#retries ? retryDelayMs(failure, attempt, this.maxWaitMs, Math.random()) : null;
  }

  /** Reports a failure that is not final, and waits. */
  async waitAfter(failure: OddswireError, ms: number, signal: AbortSignal | undefined): Promise<void> {
    this.#onRetry?.(failure, ms);
    await pause(ms, signal);
  }

  /** The JSON of one request, without retries. */
  once<Body>(
    get: Get,
    isBody: (value: unknown) => value is Body,
  ): Promise<{ readonly body: Body; readonly headers: Headers }> {
    return this.#within(get, async ({ response }) => {
      const body = parsed(await response.text());
      if (!isBody(body)) throw invalidResponse('The response is not JSON of the service.');
      return { body, headers: response.headers };
    });
  }

  /** A response whose body the caller reads for as long as it likes. The caller ends the connection. */
  open(get: Get): Promise<Opened> {
    return this.#within(get, async (opened) => opened, true);
  }

  /** The time limit includes what `read` does with the response. */
  async #within<T>(get: Get, read: (opened: Opened) => Promise<T>, staysOpen = false): Promise<T> {
    get.signal?.throwIfAborted();
    const connection = linkedAbort(get.signal);
    const timer = setTimeout(connection.abort, Math.min(get.timeoutMs ?? this.timeoutMs, TIMER_MAX_MS));
    let isRead = false;
    try {
      const response = await this.#send(get, connection.signal);
      const result = await read({ response, connection });
      isRead = true;
      return result;
    } catch (error) {
      get.signal?.throwIfAborted();
      if (error instanceof OddswireError) throw error;
      throw connection.signal.aborted ? this.errors.timedOut(error) : this.errors.failed(error);
    } finally {
      clearTimeout(timer);
      if (!(isRead && staysOpen)) connection.abort();
    }
  }

  async #send({ path, accept, isPublic, query = {} }: Get, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(this.#base + path, {
      headers: { Accept: accept, ...(isPublic !== true && { Authorization: `Bearer ${this.#key}` }) },
      // A redirect could take the key to another server, or back to http.
      redirect: 'manual',
      cache: 'no-store',
      credentials: 'omit',
      signal,
    });
    const { headers, status } = response;
    if (status === 200) {
      // The page of a proxy has no headers of the service either: the caller tells it by its type.
      const isOfService = headers.get('Content-Type')?.startsWith(accept) === true;
      const ignored = isOfService ? ignoredParameter(query, headers) : null;
      if (ignored === null) return response;
      throw new OddswireError('unavailable', `An instance of an earlier version ignored \`${ignored}\`.`, {
        status,
      });
    }
    const seconds = retryAfterSeconds(headers.get('Retry-After'), headers.get('Date'));
    // A server that repeats the request in its answer must not bring the key into an error.
    const text = (await response.text().catch(() => '')).replaceAll(this.#key, '[key]');
    throw refusalOf(status, seconds, text);
  }
}
