import { ignoredParameter } from '../../../packages/client/src/honoured.js';
import type { ApiAnswer, ApiPath, CallApi, Query } from './api.js';

type Parts = {
  /** The address of the service, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
};

/** No request of a tool waits for anything: an answer that takes longer will not come. */
const DEADLINE_MS = 15_000;

/** Calls without filters of the feed. Their `q` and `venue` search something else, and no header names them. */
const NOT_OF_FEED: readonly ApiPath[] = ['/pm/v2/markets', '/pm/v2/usage'];

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
      const asked = NOT_OF_FEED.includes(path) ? {} : Object.fromEntries(new URLSearchParams(query));
      return await answerOf(response, asked);
    } catch {
      return unreachable(`${url} cannot be reached.`);
    }
  };

async function answerOf(response: Response, asked: Query): Promise<ApiAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(?:problem\+)?json\b/.test(type)) {
    await response.body?.cancel();
    return unreachable(`The answer has the status ${response.status} and is not of this service.`);
  }
  const ignored = response.status === 200 ? ignoredParameter(asked, response.headers) : null;
  if (ignored !== null) {
    await response.body?.cancel();
    return noAnswer('unavailable', `An instance of an earlier version ignored ${ignored}.`);
  }
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    json: await response.json(),
    feedPosition: response.headers.get('feed-position'),
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}

const unreachable = (detail: string): ApiAnswer => noAnswer('unreachable', detail);

const noAnswer = (code: string, detail: string): ApiAnswer => ({
  status: 503,
  json: { code, detail },
  feedPosition: null,
  retryAfterSeconds: null,
});
