import { currentTrace } from './current-trace.js';
import { newSpanId } from './request-traces.js';
import { traceParentOf } from './trace-context.js';

/** A call of another service. The path is left out: it can name a customer. */
type OutgoingCall = { readonly method: string; readonly host: string };

/**
 * Calls another service, with the header `traceparent` if the request that is being answered belongs to a trace, and
 * records the call as a span of this trace.
 */
export async function tracedCall<Answer>(
  { method, host }: OutgoingCall,
  call: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
  statusOf: (answer: Answer) => number,
): Promise<Answer> {
  const trace = currentTrace();
  if (trace === null) return call({});
  const { traceId, isSampled, spanId: parentSpanId, record } = trace;
  const context = { traceId, isSampled, spanId: newSpanId() };
  const startedAt = Date.now();
  const ended = (attributes: Readonly<Record<string, string | number>>, isError: boolean) =>
    record?.({
      kind: 'client',
      name: `${method} ${host}`,
      context,
      parentSpanId,
      startedAt,
      isError,
      endedAt: Date.now(),
      attributes: { 'http.request.method': method, 'server.address': host, ...attributes },
    });
  try {
    const answer = await call({ traceparent: traceParentOf(context) });
    const status = statusOf(answer);
    ended({ 'http.response.status_code': status }, status >= 400);
    return answer;
  } catch (fault) {
    ended({ 'error.type': fault instanceof Error ? fault.name : 'unknown' }, true);
    throw fault;
  }
}

type FetchOptions = {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
};

/** `fetch` as a traced call. */
export const tracedFetch = (url: string, options: FetchOptions = {}): Promise<Response> =>
  tracedCall(
    { method: options.method ?? 'GET', host: new URL(url).host },
    (added) => {
      const headers = new Headers(options.headers);
      for (const [name, value] of Object.entries(added)) headers.set(name, value);
      return fetch(url, { ...options, headers });
    },
    ({ status }) => status,
  );
