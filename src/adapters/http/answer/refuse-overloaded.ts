import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { RETRY_SECONDS, type RetrySeconds } from '../../../domain/limits/iteration-budget.js';
import { NO_SNIFFING } from '../listener/request-start.js';
import { CORS_HEADERS } from './cors.js';
import { PROBLEM_TYPE, problemDocument } from './problem.js';
import type { ProblemReferences } from './service-links.js';

const STATUS = 503;

/**
 * Refuses a request with bytes that were prepared before: its key, its parameters and its own request id are not read, and
 * the access log has no line for it. The id that the answer has instead is a number of this process.
 */
export function refuseOverloaded(
  references: ProblemReferences,
): (response: ServerResponse, retryAfter: RetrySeconds) => void {
  let count = 0;
  // The address of the documentation is known when the service listens.
  let prepared: Prepared | null = null;
  return (response, retryAfter) => {
    prepared ??= prepare(references);
    count += 1;
    const id = `${prepared.ids}${String(count).padStart(ID_DIGITS, '0')}`;
    response.writeHead(STATUS, [...(prepared.headers.get(retryAfter) ?? []), 'X-Request-Id', id]);
    response.end(`${prepared.beforeId}${id}${prepared.afterId}`);
  };
}

type Prepared = {
  /** The beginning of the ids. */
  readonly ids: string;
  readonly beforeId: string;
  readonly afterId: string;
  readonly headers: ReadonlyMap<RetrySeconds, readonly string[]>;
};

const ID_PLACE = '{id}';
const ID_DIGITS = 12;

function prepare(references: ProblemReferences): Prepared {
  const ids = `overload-${randomUUID().slice(0, 8)}-`;
  const document = problemDocument('overloaded', STATUS, { instance: '', requestId: ID_PLACE, references });
  const [beforeId = '', afterId = ''] = JSON.stringify(document).split(ID_PLACE);
  const fields = {
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(beforeId + afterId) + ids.length + ID_DIGITS),
    'Cache-Control': 'no-store',
    Link: references.links,
    ...NO_SNIFFING,
    ...CORS_HEADERS,
  };
  const headersWith = (seconds: RetrySeconds) =>
    Object.entries({ ...fields, 'Retry-After': String(seconds) }).flat();
  return { ids, beforeId, afterId, headers: new Map(RETRY_SECONDS.map((each) => [each, headersWith(each)])) };
}
