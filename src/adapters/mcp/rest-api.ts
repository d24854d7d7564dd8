import type { ApiAnswer, CallApi } from './api.js';

type Parts = {
  /** The address of the service, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
};

/** No request of a tool waits for anything: an answer that takes longer will not come. */
const DEADLINE_MS = 15_000;

/** The REST API over HTTP. */
export const restApi =
  ({ url, key, fetch }: Parts): CallApi =>
  async (path, query) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: 'application/json' };
    try {
      const response = await fetch(`${url}${path}${query === '' ? '' : `?${query}`}`, {
        headers,
        // A redirect could send the key to another service.
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      return await answerOf(response);
    } catch {
      return unreachable(`${url} cannot be reached.`);
    }
  };

async function answerOf(response: Response): Promise<ApiAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(?:problem\+)?json\b/.test(type)) {
    await response.body?.cancel();
    return unreachable(`The answer has the status ${response.status} and is not of this service.`);
  }
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    json: await response.json(),
    feedPosition: response.headers.get('feed-position'),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}

const unreachable = (detail: string): ApiAnswer => ({
  status: 503,
  json: { code: 'unreachable', detail },
  feedPosition: null,
  retryAfterSeconds: null,
});
